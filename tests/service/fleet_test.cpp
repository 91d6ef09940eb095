// What several servers on one PostgreSQL promise while nothing goes wrong, and what is done with
// the database besides.
#include "fleet_test.h"

namespace dcmrank::testing {
namespace {

class Fleet : public FleetTest {
 protected:
  void SetUp() override {
    if (!PgCluster::is_installed()) GTEST_SKIP() << "PostgreSQL is not installed";
    store_ = PgCluster::shared().new_database();
  }
};

TEST_F(Fleet, SharesWhatItLearnedAndForgets) {
  const auto a = serve();
  const auto b = serve();
  const std::string list =
      ask(*a, "POST", "/v1/rank",
          {{"query", "q"}, {"items", {"x", "y"}}, {"durable", true}})["impression"];
  // Reported to the other one, twice, and both know it.
  const json click = {{"impression", list}, {"item", "x"}, {"type", "click"}, {"id", "c"}};
  EXPECT_EQ(ask(*b, "POST", "/v1/feedback", click)["results"][0]["status"], "accepted");
  EXPECT_EQ(ask(*a, "POST", "/v1/feedback", click)["results"][0]["status"], "duplicate");
  const json end = {{"impression", list}, {"type", "close"}};
  EXPECT_EQ(ask(*a, "POST", "/v1/feedback", end)["results"][0]["status"], "accepted");
  EXPECT_EQ(counted(ask(*a, "GET", "/v1/models/default/queries/q")),
            counted(ask(*b, "GET", "/v1/models/default/queries/q")));
  const json rank = {{"query", "q"}, {"items", {"x", "y"}}};
  EXPECT_EQ(ask(*a, "POST", "/v1/rank", rank)["round"], 2);
  EXPECT_TRUE(eventually([&] { return ask(*b, "POST", "/v1/rank", rank)["round"] == 2; }));
  // An id that one server was told is known to the other.
  const json named = {{"query", "n"}, {"items", {"x", "y"}}, {"id", "mine"}, {"durable", true}};
  EXPECT_EQ(ask(*a, "POST", "/v1/rank", named), ask(*b, "POST", "/v1/rank", named));
  // What one forgets the other forgets; what is on its way there is not kept.
  ask(*a, "DELETE", "/v1/models/default/queries/q");
  EXPECT_EQ(status_of(*b, "GET", "/v1/models/default/queries/q"), 404);
  EXPECT_TRUE(eventually([&] { return ask(*b, "POST", "/v1/rank", rank)["round"] == 1; }));
  // Models, too.
  ask(*a, "PUT", "/v1/models/other", {{"k", 3}});
  EXPECT_TRUE(eventually([&] {
    return status_of(*b, "POST", "/v1/rank",
                     R"({"model":"other","query":"q","items":["x","y"]})") == 200;
  }));
  ask(*b, "DELETE", "/v1/models/other");
  EXPECT_TRUE(eventually([&] {
    return status_of(*a, "POST", "/v1/rank",
                     R"({"model":"other","query":"q","items":["x","y"]})") == 404;
  }));
  EXPECT_EQ(a->stop().status, 0);
  EXPECT_EQ(b->stop().status, 0);
  expect_recounted();
}

// Clients do not try again what is answered 404, and an event that was rejected is lost.
TEST_F(Fleet, KnowsAModelOfAnotherServerAtOnce) {
  const auto a = serve();
  const auto b = serve();
  for (int n = 0; n < 5; ++n) {
    const std::string model = "m" + std::to_string(n);
    ask(*a, "PUT", "/v1/models/" + model, json::object());
    if (n % 2 == 0) {
      ask(*b, "POST", "/v1/rank", {{"query", "q"}, {"items", {"x"}}, {"model", model}});
      continue;
    }
    ask(*a, "POST", "/v1/rank",
        {{"query", "q"}, {"items", {"x"}}, {"model", model}, {"id", "p"}, {"durable", true}});
    const json end = {{"impression", "p"}, {"type", "close"}, {"model", model}};
    EXPECT_EQ(ask(*b, "POST", "/v1/feedback", end)["results"][0]["status"], "accepted");
  }
  EXPECT_EQ(status_of(*b, "GET", "/v1/models/none"), 404);
}

TEST_F(Fleet, HoldsAnEventForAListOfAnotherServer) {
  const auto a = serve();
  const auto b = serve();
  const json click = {{"impression", "later"}, {"item", "x"}, {"type", "click"}};
  EXPECT_EQ(ask(*b, "POST", "/v1/feedback", click)["results"][0]["status"], "unknown_impression");
  ask(*a, "POST", "/v1/rank",
      {{"query", "q"}, {"items", {"x", "y"}}, {"id", "later"}, {"durable", true}});
  EXPECT_TRUE(eventually(
      [&] { return ask(*b, "GET", "/v1/impressions/later")["clicks"] == json::array({"x"}); }));
}

// Clicks come to one server before the other has stored their lists; nobody else is there.
TEST_F(Fleet, CallsNoEventOfItsOwnUsersThatOfOthers) {
  const auto a = serve();
  const auto b = serve();
  const Outcome outcome = dcmrank(
      "traffic --problem lb:L=20,K=5,p=0.3,gap=0.2,gamma=0.5 --delay 5ms --rate 300 "
      "--duration 2s --json result.json " +
      urls({a->address(), b->address()}));
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_GT(result()["events"].value("unknown_impression", 0), 0);  // were held
  EXPECT_EQ(result()["events_of_others"], 0);
}

}  // namespace
}  // namespace dcmrank::testing
