// Two servers are asked for a list of the same id: one list is kept, and whoever wants it durable
// is given that one.
#include <thread>

#include "fleet_test.h"

namespace dcmrank::testing {
namespace {

class FleetSameId : public FleetTest {
 protected:
  void SetUp() override {
    if (!PgCluster::is_installed()) GTEST_SKIP() << "PostgreSQL is not installed";
    store_ = PgCluster::shared().new_database();
  }
};

TEST_F(FleetSameId, WhatIsDurableIsTheListThatIsStored) {
  constexpr int kLists = 60;
  const std::vector<std::unique_ptr<Server>> servers = [&] {
    std::vector<std::unique_ptr<Server>> both;
    for (int n = 0; n < 2; ++n) both.push_back(serve());
    return both;
  }();
  const auto list_of = [](int n) {
    return json{
        {"query", "q"}, {"items", {"a", "b", "c", "d", "e"}}, {"id", "same" + std::to_string(n)}};
  };
  // Once its policy knows something of the items, it draws: no two answers are the same.
  for (int n = 0; n < 3; ++n) {
    json list = list_of(-n - 1);
    list["durable"] = true;
    ask(*servers[0], "POST", "/v1/rank", list);
    ask(*servers[0], "POST", "/v1/feedback", {{"impression", list["id"]}, {"type", "close"}});
  }
  std::vector<std::vector<json>> answers(2);
  for (int n = 0; n < kLists; ++n) {
    std::vector<std::thread> users;
    for (std::size_t of = 0; of < servers.size(); ++of) {
      users.emplace_back([&, of] {
        HttpClient client(servers[of]->address());
        json list = list_of(n);
        client.call("POST", "/v1/rank", list.dump());
        list["durable"] = true;
        const HttpAnswer answer = client.call("POST", "/v1/rank", list.dump());
        if (answer.status != 200) {
          EXPECT_EQ(answer.status, 503);
          EXPECT_NE(answer.body.find("again"), std::string::npos) << answer.body;
        }
        answers[of].push_back(answer.status == 200 ? answer.json() : json());
      });
    }
    for (std::thread& user : users) user.join();
  }
  int given = 0;
  for (int n = 0; n < kLists; ++n) {
    const json stored = ask(*servers[1], "GET", "/v1/impressions/same" + std::to_string(n));
    for (const auto& of : answers) {
      const json& answer = of[static_cast<std::size_t>(n)];
      if (answer.is_null()) continue;
      ++given;
      EXPECT_EQ(json(ids(answer)), stored["items"]) << n;
    }
    EXPECT_EQ(ask(*servers[0], "POST", "/v1/rank", list_of(n)),
              ask(*servers[1], "POST", "/v1/rank", list_of(n)));
  }
  EXPECT_GT(given, kLists);
  for (const auto& server : servers) EXPECT_EQ(server->stop().status, 0);
  expect_recounted();
}

// Wherever it is on its way, and whatever the server that erases it knows of it.
TEST_F(FleetSameId, WhatIsErasedStaysSo) {
  const auto a = serve("--hold 60s");
  const auto b = serve("--hold 60s");
  const auto list = [](const std::string& id) {
    return json{{"query", "q"}, {"items", {"x", "y"}}, {"id", id}};
  };
  const auto click = [&](const std::string& id) {
    ask(*b, "POST", "/v1/feedback", {{"impression", id}, {"type", "click"}, {"item", "x"}});
  };
  const auto rank = [&](Server& at, const std::string& id) {
    ask(at, "POST", "/v1/rank", list(id));
  };
  const auto erase = [&](Server& at, const std::string& id) {
    return status_of(at, "DELETE", "/v1/impressions/" + id);
  };
  std::vector<std::string> erased;
  for (int n = 0; n < 10; ++n) {
    const std::string of = std::to_string(n);
    rank(*a, "again" + of);
    rank(*b, "again" + of);
    if (erase(*a, "again" + of) == 200) erased.push_back("again" + of);
    rank(*a, "clicked" + of);
    click("clicked" + of);
    if (erase(*b, "clicked" + of) == 200) erased.push_back("clicked" + of);
    click("before" + of);
    rank(*a, "before" + of);
    if (erase(*b, "before" + of) == 200) erased.push_back("before" + of);
  }
  EXPECT_GT(erased.size(), 20U);
  for (const auto& server : {a.get(), b.get()}) {  // what was on its way is stored
    const json durable = {{"query", "q"}, {"items", {"x", "y"}}, {"durable", true}};
    ask(*server, "POST", "/v1/rank", durable);
  }
  for (const std::string& id : erased) {
    EXPECT_EQ(status_of(*a, "GET", "/v1/impressions/" + id), 404) << id;
    json anew = list(id);
    anew["durable"] = true;
    ask(*b, "POST", "/v1/rank", anew);
    EXPECT_EQ(status_of(*a, "GET", "/v1/impressions/" + id), 200) << id;
  }
  EXPECT_EQ(a->stop().status, 0);
  EXPECT_EQ(b->stop().status, 0);
  expect_recounted();
}

}  // namespace
}  // namespace dcmrank::testing
