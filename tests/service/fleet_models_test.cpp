// Models that one server changes, erases and makes anew, and what others do before they have seen
// that: it goes by what the database says.
#include "fleet_test.h"

namespace dcmrank::testing {
namespace {

class FleetModels : public FleetTest {
 protected:
  void SetUp() override {
    if (!PgCluster::is_installed()) GTEST_SKIP() << "PostgreSQL is not installed";
    store_ = PgCluster::shared().new_database();
    a_ = serve();
    b_ = serve();
  }
  static json list_of(const std::string& model, const std::string& id) {
    return {{"query", "q"}, {"items", {"x", "y"}}, {"model", model}, {"id", id}, {"durable", true}};
  }
  static json seen_of(const std::string& model, const std::string& id) {
    return json::array(
        {{{"impression", id}, {"item", "x"}, {"type", "click"}, {"model", model}, {"id", id}},
         {{"impression", id}, {"type", "close"}, {"model", model}}});
  }
  // Made, erased and made again at A, with a list that taught it; B knows the first one alone.
  void make_anew(const std::string& model) {
    ask(*a_, "PUT", "/v1/models/" + model, {{"policy", "dcm-ts"}});
    ask(*a_, "POST", "/v1/rank", list_of(model, "old"));
    ask(*b_, "POST", "/v1/rank", list_of(model, "old"));
    ask(*a_, "DELETE", "/v1/models/" + model);
    ask(*a_, "PUT", "/v1/models/" + model, {{"policy", "ubm-ts"}});
    ask(*a_, "POST", "/v1/rank", list_of(model, "new"));
    EXPECT_EQ(ask(*a_, "POST", "/v1/feedback", seen_of(model, "new"))["accepted"], 2);
  }

  std::unique_ptr<Server> a_;
  std::unique_ptr<Server> b_;
};

TEST_F(FleetModels, WhatIsErasedIsWhatHasThatNameNow) {
  const auto made_anew = [&](const std::string& model) {
    make_anew(model);
    return "/v1/models/" + model;
  };
  for (int n = 0; n < 3; ++n) {
    const std::string round = std::to_string(n);
    std::string path = made_anew("m" + round);
    ask(*b_, "DELETE", path);
    EXPECT_EQ(status_of(*a_, "PUT", path, R"({"policy":"dcm-ts"})"), 200) << "it is not gone";
    EXPECT_EQ(status_of(*a_, "GET", path + "/queries/q"), 404);
    EXPECT_EQ(status_of(*b_, "DELETE", path), 200);
    EXPECT_EQ(status_of(*a_, "DELETE", path), 404);

    path = made_anew("q" + round);
    ask(*b_, "DELETE", path + "/queries/q");
    EXPECT_EQ(status_of(*a_, "GET", path + "/queries/q"), 404);

    path = made_anew("i" + round);
    ask(*b_, "DELETE", path + "/queries/q/items/x");
    EXPECT_EQ(ask(*a_, "GET", path + "/queries/q").dump().find("\"x\""), std::string::npos);

    made_anew("p" + round);
    ask(*b_, "DELETE", "/v1/impressions/new?model=p" + round);
    EXPECT_EQ(status_of(*a_, "GET", "/v1/impressions/new?model=p" + round), 404);
  }
  expect_recounted();
}

TEST_F(FleetModels, WhatIsChangedIsWhatHasThatNameNow) {
  make_anew("m");
  EXPECT_EQ(ask(*b_, "PUT", "/v1/models/m", {{"mode", "shadow"}})["policy"], "ubm-ts");
  EXPECT_EQ(status_of(*b_, "PUT", "/v1/models/m", R"({"policy":"dcm-ts"})"), 409);
  ask(*a_, "DELETE", "/v1/models/m");
  EXPECT_EQ(ask(*b_, "PUT", "/v1/models/m", {{"policy", "dcm-ts"}})["mode"], "online");
  expect_recounted();
}

// B does not know yet that what its lists are to teach is counted otherwise by now.
TEST_F(FleetModels, AnOpenListTeachesThePolicyThatTheModelHasWhenItCloses) {
  for (int n = 0; n < 5; ++n) {
    const std::string model = "m" + std::to_string(n);
    ask(*a_, "PUT", "/v1/models/" + model, {{"policy", "dcm-ts"}});
    ask(*b_, "POST", "/v1/rank", list_of(model, "open"));
    ask(*a_, "PUT", "/v1/models/" + model, {{"policy", "ubm-ts"}});
    const json taken = ask(*b_, "POST", "/v1/feedback", seen_of(model, "open"));
    EXPECT_EQ(taken["accepted"], 2) << taken;
    EXPECT_EQ(status_of(*a_, "PUT", "/v1/models/" + model, R"({"policy":"dcm-ts"})"), 409);
  }
  expect_recounted();
}

TEST_F(FleetModels, AnImportGoesIntoWhatHasThatNameNow) {
  make_anew("m");
  const std::string all = HttpClient(a_->address()).call("GET", "/v1/export", "").body;
  make_anew("n");
  std::string renamed = all;
  for (auto at = renamed.find(R"("model":"m")"); at != std::string::npos;
       at = renamed.find(R"("model":"m")")) {
    renamed.replace(at, 11, R"("model":"n")");
  }
  EXPECT_EQ(status_of(*b_, "POST", "/v1/import", renamed), 200);
  EXPECT_EQ(ask(*a_, "GET", "/v1/models/n/queries/q")["rounds"], 2);
  expect_recounted();
}

TEST_F(FleetModels, EventsAreForTheModelThatHasThatNameNow) {
  for (int n = 0; n < 3; ++n) {
    const std::string model = "m" + std::to_string(n);
    make_anew(model);
    ask(*a_, "POST", "/v1/rank", list_of(model, "old"));  // the same id, of the new model
    for (const std::string id : {"old", "new"}) {
      const json results = ask(*b_, "POST", "/v1/feedback", seen_of(model, id))["results"];
      EXPECT_EQ(results[0]["status"], id == "old" ? "accepted" : "duplicate") << results;
    }
    EXPECT_EQ(ask(*a_, "GET", "/v1/impressions/old?model=" + model)["state"], "closed");
    EXPECT_EQ(ask(*a_, "GET", "/v1/models/" + model + "/queries/q")["rounds"], 2);
  }
  expect_recounted();
}

// Others close what is due, and take what was held, of models that they have not heard of yet.
TEST_F(FleetModels, NothingOfAModelThatIsNewElsewhereIsLost) {
  for (int n = 0; n < 5; ++n) {
    const std::string model = "m" + std::to_string(n);
    ask(*a_, "PUT", "/v1/models/" + model, {{"close_after", "1ms"}});
    for (int list = 0; list < 20; ++list) {
      const std::string id = std::to_string(list);
      ask(*a_, "POST", "/v1/feedback", seen_of(model, id)[0]);
      ask(*a_, "POST", "/v1/rank", list_of(model, id));
    }
    EXPECT_TRUE(eventually([&] {
      return ask(*a_, "GET", "/v1/models/" + model + "/queries")["queries"][0]["rounds"] == 20;
    })) << ask(*a_, "GET", "/v1/models/" + model + "/queries");
    EXPECT_EQ(ask(*a_, "GET", "/v1/models/" + model + "/queries/q")["items"][0]["attracted"], 20);
  }
  expect_recounted();
}

// An id that a server made says nothing of its model.
TEST_F(FleetModels, AnEventWithAMadeIdFindsAModelThatIsNewElsewhere) {
  for (int n = 0; n < 5; ++n) {
    const std::string model = "m" + std::to_string(n);
    ask(*a_, "PUT", "/v1/models/" + model, json::object());
    json list = list_of(model, "");
    list.erase("id");
    const std::string id = ask(*a_, "POST", "/v1/rank", list)["impression"];
    const json end = {{"impression", id}, {"type", "close"}};
    EXPECT_EQ(ask(*b_, "POST", "/v1/feedback", end)["results"][0]["status"], "accepted");
  }
  expect_recounted();
}

}  // namespace
}  // namespace dcmrank::testing
