// Models, what they learned, and erasing.
#include "service_test.h"

namespace dcmrank::testing {
namespace {

class Knowledge : public ServiceTest {};

// The option holds for models that were made before it was given, too.
TEST_F(Knowledge, ClosesByTheTimeOfTheServiceWhereAModelHasNone) {
  start();
  put("/v1/models/own", {{"close_after", "5m"}});
  put("/v1/models/other", {{"k", 3}});
  const auto times = [&] {
    std::vector<std::string> all;
    const json models = get("/v1/models")["models"];
    for (const json& model : models) all.push_back(model["close_after"]);
    return all;
  };
  EXPECT_EQ(times(), (std::vector<std::string>{"30m", "30m", "5m"}));
  restart(SIGTERM, "--close-after 300ms");
  EXPECT_EQ(times(), (std::vector<std::string>{"300ms", "300ms", "5m"}));
  EXPECT_EQ(put("/v1/models/other", {{"k", 4}})["close_after"], "300ms");
  EXPECT_NE(exported().find(R"("close_after":"300ms")"), std::string::npos);
  const std::string shown = rank({{"query", "q"}, {"items", {"a", "b"}}, {"durable", true}});
  EXPECT_TRUE(eventually([&] { return get("/v1/impressions/" + shown)["state"] == "timed_out"; }));
  restart(SIGTERM, "--close-after 10m");
  EXPECT_EQ(times(), (std::vector<std::string>{"10m", "10m", "5m"}));
}

TEST_F(Knowledge, ShowsOneModel) {
  start();
  const json made = put("/v1/models/shoe%20shop", {{"k", 3}});
  EXPECT_EQ(get("/v1/models/shoe%20shop"), made);
  EXPECT_EQ(call("GET", "/v1/models/none").code(), "unknown_model");
}

TEST_F(Knowledge, GivesAModelTheTimeOfTheServiceBack) {
  start("--close-after 20m");
  json model = put("/v1/models/m", {{"close_after", "5m"}});
  EXPECT_EQ(model["close_after"], "5m");
  EXPECT_EQ(model["close_after_of"], "model");
  model = put("/v1/models/m", {{"close_after", nullptr}});
  EXPECT_EQ(model["close_after"], "20m");
  EXPECT_EQ(model["close_after_of"], "service");
  restart(SIGTERM, "--close-after 10m");
  EXPECT_EQ(get("/v1/models")["models"][1], put("/v1/models/m", json::object()));
  EXPECT_EQ(get("/v1/models")["models"][1]["close_after"], "10m");
}

TEST_F(Knowledge, KeepsModelsAcrossARestart) {
  start("--close-after 10m");
  EXPECT_EQ(get("/v1/models")["models"][0]["close_after"], "10m");
  EXPECT_EQ(get("/v1/models")["models"][0]["learns_by"], served_policy());
  const json made = put("/v1/models/other", {{"policy", "dcm-kl-ucb:counting=em"}, {"k", 3}});
  EXPECT_EQ(made["mode"], "online");
  EXPECT_EQ(put("/v1/models/other", {{"mode", "shadow"}})["k"], 3);
  restart();
  EXPECT_EQ(get("/v1/models")["models"][1]["policy"], "dcm-kl-ucb:counting=em");
  EXPECT_EQ(get("/v1/models")["models"][1]["mode"], "shadow");
}

TEST_F(Knowledge, RefusesModelsThatCannotBe) {
  start();
  const std::vector<std::pair<std::string, std::string>> bad{
      {R"({"policy":"dcm-klucb"})", "dcm-kl-ucb"},
      {R"({"policy":"toprank"})", "it offers recommended, "},
      {R"({"policy":"dcm-kl-ucb:order=1,2","k":3})", "order"},
      {R"({"k":0})", "k"},
      {R"({"k":"3"})", "k"},
      {R"({"close_after":"soon"})", "close_after"},
      {R"({"mode":"off"})", "mode"},
      {R"([])", "object"}};
  for (const auto& [body, part] : bad) {
    const HttpAnswer answer = call("PUT", "/v1/models/m", body);
    EXPECT_EQ(answer.status, 400) << body;
    EXPECT_NE(answer.body.find(part), std::string::npos) << answer.body;
  }
  EXPECT_EQ(get("/v1/models")["models"].size(), 1U);
}

TEST_F(Knowledge, RefusesSlipsOfItsFields) {
  start();
  put("/v1/models/x", {{"k", 3}});
  const std::vector<std::pair<std::string, std::string>> bad{
      {R"({"polciy":"dcm-ts"})", "did you mean 'policy'?"},
      {R"({"k":5,"close-after":"1m"})", "did you mean 'close_after'?"}};
  for (const auto& [body, part] : bad) {
    const HttpAnswer answer = call("PUT", "/v1/models/x", body);
    EXPECT_EQ(answer.status, 400) << body;
    EXPECT_EQ(answer.code(), "bad_field");
    EXPECT_NE(answer.body.find(part), std::string::npos) << answer.body;
  }
  EXPECT_EQ(get("/v1/models/x")["k"], 3);
  put("/v1/models/x", get("/v1/models/x"));  // with what only answers have
}

// A fit of pages that nobody clicked on says little, not that nobody ever will.
TEST_F(Knowledge, IsNeverCertainForWantOfClicks) {
  start();
  put("/v1/models/m", json::object());
  const auto expect_open = [](const json& items) {
    for (const json& item : items) {
      EXPECT_GT(item["estimate"], 0) << item;
      const json range = item.value("interval", json{0, 1});
      EXPECT_LT(range[0], range[1]) << item;
    }
  };
  for (int n = 0; n < 60; ++n) {
    const json list = post("/v1/rank", {{"query", "q"}, {"items", {"a", "b"}}, {"model", "m"}});
    expect_open(list["items"]);
    EXPECT_EQ(report({{"impression", list["impression"]}, {"type", "close"}, {"model", "m"}}),
              "accepted");
    expect_open(query("q", "m")["items"]);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  const json never = post("/v1/rank", {{"query", "new"}, {"items", {"x", "y"}}, {"model", "m"}});
  expect_open(never["items"]);
  const json seldom = query("q", "m")["items"][0];
  EXPECT_LT(seldom["estimate"], 0.1);      // it has learned
  EXPECT_GT(seldom["interval"][1], 0.03);  // 3 / 60 is possible, whatever is thought of others
}

TEST_F(Knowledge, RefusesAPolicyThatCountsOtherwiseOnceAModelHasLearned) {
  start();
  page("q", {"a", "b"}, {"a"});
  const HttpAnswer refused = call("PUT", "/v1/models/default", R"({"policy":"ranked-exp3"})");
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(refused.code(), "other_counts");
  EXPECT_EQ(put("/v1/models/default", {{"policy", "ubm-ts"}})["policy"], "ubm-ts");
  EXPECT_EQ(query("q")["rounds"], 1);
}

// What a page adds is found when it closes: open lists do not bind a model to its policy.
TEST_F(Knowledge, SaysInWhichModelAnImpressionIsNot) {
  start();
  put("/v1/models/m", json::object());
  rank({{"query", "q"}, {"items", {"a", "b"}}, {"model", "m"}, {"id", "p1"}, {"durable", true}});
  for (const char* method : {"GET", "DELETE"}) {
    const HttpAnswer answer = call(method, "/v1/impressions/p1");
    EXPECT_EQ(answer.status, 404);
    EXPECT_NE(answer.body.find("in model 'default'"), std::string::npos) << answer.body;
    EXPECT_NE(answer.body.find("?model="), std::string::npos) << answer.body;
  }
  EXPECT_EQ(get("/v1/impressions/p1?model=m")["model"], "m");
  EXPECT_EQ(call("DELETE", "/v1/models/default").status, 200);
  const json result = post("/v1/feedback", click("p1", "a"))["results"][0];
  EXPECT_EQ(result["status"], "unknown_impression");
  EXPECT_NE(result["reason"].dump().find("no model 'default'"), std::string::npos) << result;
}

TEST_F(Knowledge, TakesAnyPolicyWhileItsListsAreOpen) {
  start();
  std::vector<std::string> shown;
  for (const char* policy :
       {"dcm-ts", "ranked-kl-ucb", "ubm-ts", "ranked-exp3", "dcm-kl-ucb",
        "ranked-kl-ucb:duplicates=random", "ranked-exp3", "dcm-ts", "ubm-ts"}) {
    EXPECT_EQ(put("/v1/models/m", {{"policy", policy}})["policy"], policy);
    shown.push_back(rank(
        {{"query", "q"}, {"items", {"a", "b", "c"}}, {"k", 2}, {"model", "m"}, {"durable", true}}));
    EXPECT_EQ(query("q", "m")["rounds"], 0);
  }
  for (const std::string& list : shown) {
    EXPECT_EQ(report(click(list, get("/v1/impressions/" + list)["items"][0])), "accepted");
    EXPECT_EQ(report(close(list)), "accepted");
  }
  EXPECT_EQ(query("q", "m")["rounds"], shown.size());
  EXPECT_EQ(call("PUT", "/v1/models/m", R"({"policy":"dcm-ts"})").status, 409);
  stop();
  expect_verified();
}

TEST_F(Knowledge, LearnsByEveryPolicyFromListsOfAnother) {
  start();
  for (const char* policy : {"dcm-ts", "ubm-ts", "ranked-kl-ucb", "ranked-exp3"}) {
    const std::string path = std::string("/v1/models/") + policy;
    for (const char* before : {"dcm-ts", "ubm-ts", "ranked-kl-ucb", "ranked-exp3"}) {
      SCOPED_TRACE(std::string(before) + ", then " + policy);
      put(path, {{"policy", before}});
      const std::string list =
          rank({{"query", "q"}, {"items", {"a", "b"}}, {"model", policy}, {"durable", true}});
      put(path, {{"policy", policy}});
      EXPECT_EQ(report(click(list, "b")), "accepted");
      EXPECT_EQ(report(close(list)), "accepted");
      EXPECT_EQ(query("q", policy)["rounds"], 1);
      EXPECT_EQ(call("DELETE", path + "/queries/q").status, 200);  // it has learned nothing again
    }
  }
}

TEST_F(Knowledge, LearnsFromAListThatTheModelWouldNotShowAnyMore) {
  start();
  put("/v1/models/m", {{"policy", "dcm-kl-ucb:order=3,1,2"}, {"k", 3}});
  const std::string impression = rank({{"query", "q"}, {"items", {"a", "b", "c"}}, {"model", "m"}});
  put("/v1/models/m", {{"policy", "dcm-kl-ucb:order=2,1"}, {"k", 2}});
  EXPECT_EQ(report(click(impression, "a")), "accepted");
  EXPECT_EQ(report(close(impression)), "accepted");
  EXPECT_EQ(query("q", "m")["rounds"], 1);
}

TEST_F(Knowledge, NamesQueriesWithAnyText) {
  start();
  for (const std::string name : {"a/b c?d", "\xC3\xA9t\xC3\xA9", "100%"})
    page(name, {"x", "y"}, {"x"});
  EXPECT_EQ(query("a%2Fb%20c%3Fd")["query"], "a/b c?d");
  EXPECT_EQ(query("%C3%A9t%C3%A9")["rounds"], 1);
  EXPECT_EQ(query("100%25")["rounds"], 1);
  EXPECT_EQ(call("GET", "/v1/models/default/queries/none").code(), "unknown_query");
  EXPECT_EQ(call("GET", "/v1/models/default/queries/%zz").code(), "bad_path");
  EXPECT_EQ(call("GET", "/v1/models/default/queries/%ff").code(), "bad_path");
  EXPECT_EQ(call("GET", "/v1/models/none/queries").code(), "unknown_model");
}

TEST_F(Knowledge, ListsQueriesPageByPage) {
  start();
  for (int n = 0; n < 5; ++n) page("q" + std::to_string(n), {"a", "b"}, {});
  const json first = get("/v1/models/default/queries?limit=3");
  EXPECT_EQ(first["queries"].size(), 3U);
  EXPECT_EQ(first["next"], "q2");
  const json second = get("/v1/models/default/queries?limit=3&after=q2");
  EXPECT_EQ(second["queries"][1]["query"], "q4");
  EXPECT_FALSE(second.contains("next"));
  EXPECT_EQ(call("GET", "/v1/models/default/queries?limit=0").status, 400);
  EXPECT_EQ(call("GET", "/v1/models/default/queries?limit=9999").status, 400);
}

TEST_F(Knowledge, BeginsAnewOnceAQueryIsErased) {
  start();
  const std::string shown = rank("q", {"a", "b"});
  page("q", {"a", "b"}, {"a"});
  const std::string closed = rank("q", {"a", "b"});
  report(close(closed));
  EXPECT_EQ(call("DELETE", "/v1/models/default/queries/q").status, 200);
  EXPECT_EQ(call("GET", "/v1/models/default/queries/q").status, 404);
  EXPECT_EQ(report(click(shown, "a")), "unknown_impression");
  EXPECT_EQ(report(close(shown)), "unknown_impression");
  EXPECT_EQ(report(click(closed, "b")), "unknown_impression");
  page("q", {"a", "b"}, {"b"});
  EXPECT_EQ(query("q")["rounds"], 1);
  expect_verified();
  restart(SIGKILL);
  EXPECT_EQ(query("q")["rounds"], 1);
  EXPECT_EQ(call("DELETE", "/v1/models/default/queries/none").status, 404);
}

TEST_F(Knowledge, BeginsAnewOnceAnItemIsErased) {
  start();
  page("q", {"a", "b"}, {"a"});
  const std::string closed = rank("q", {"a", "b"});
  report(close(closed));
  EXPECT_EQ(call("DELETE", "/v1/models/default/queries/q/items/a").status, 200);
  EXPECT_EQ(query("q")["items"].size(), 1U);
  EXPECT_EQ(report(click(closed, "a")), "rejected");
  EXPECT_EQ(query("q")["items"].size(), 1U);
  const json again = post("/v1/rank", {{"query", "q"}, {"items", {"b", "a"}}, {"k", 1}});
  EXPECT_EQ(ids(again)[0], "a");  // never observed: index 1
  EXPECT_EQ(call("DELETE", "/v1/models/default/queries/q/items/zz").code(), "unknown_item");
  expect_verified();
  restart();
  page("q", {"a", "b"}, {"a"});
  EXPECT_EQ(query("q")["items"][0]["observed"], 1);
  expect_verified();
}

TEST_F(Knowledge, FoldsOldImpressionsIntoTheirQuery) {
  start("--keep 1ms --correct-for 1ms");
  for (int n = 0; n < 5; ++n) page("q", {"a", "b", "c"}, {"b"});
  const std::string named = rank({{"query", "q"}, {"items", {"a", "b"}}, {"id", "mine"}});
  json event = close(named);
  event["id"] = "e1";
  report(event);
  const json before = query("q");
  EXPECT_TRUE(eventually([&] { return metric("dcmrank_impressions_purged_total") == 6; }));
  EXPECT_EQ(call("GET", "/v1/impressions/mine").status, 404);
  EXPECT_EQ(counted(query("q")), counted(before));
  expect_verified();
}

// Of shorter lists a policy that was told of each position knows the first ones.
TEST_F(Knowledge, RanksListsThatAreShorterThanWhatItsPolicyWasTold) {
  start();
  put("/v1/models/order", {{"policy", "dcm-ts:order=3,1,2"}, {"k", 3}});
  put("/v1/models/known", {{"policy", "dcm-ts:terminations=0.5,0.2,0.1"}, {"k", 3}});
  for (const std::string model : {"order", "known"}) {
    std::vector<std::string> items;
    for (const char* const item : {"a", "b", "c"}) {
      items.emplace_back(item);
      const json asked = {
          {"query", "q" + std::to_string(items.size())}, {"model", model}, {"items", items}};
      const std::string shown = rank(asked);
      EXPECT_EQ(report(click(shown, "a")), "accepted");
      EXPECT_EQ(report(close(shown)), "accepted");
      EXPECT_EQ(query("q" + std::to_string(items.size()), model)["rounds"], 1);
    }
    const json three = {{"query", "q"}, {"model", model}, {"items", {"a", "b", "c"}}, {"k", 2}};
    EXPECT_EQ(ids(post("/v1/rank", three)).size(), 2U);
    const json four = {{"query", "q"}, {"model", model}, {"items", {"a", "b", "c", "d"}}, {"k", 4}};
    const HttpAnswer longer = call("POST", "/v1/rank", four.dump());
    EXPECT_EQ(longer.status, 400);
    EXPECT_NE(longer.body.find("of 3 positions: lists have at most so many, not 4"),
              std::string::npos)
        << longer.body;
  }
  EXPECT_EQ(status("PUT", "/v1/models/wrong", R"({"policy":"dcm-ts:order=3,1,2","k":2})"), 400);
  stop();
  expect_verified();
}

}  // namespace
}  // namespace dcmrank::testing
