// Models, what they learned, erasing, and carrying it elsewhere.
#include "dcmrank/registry/registry.h"
#include "service_test.h"

namespace dcmrank::testing {
namespace {

class Knowledge : public ServiceTest {
 protected:
  // Shows a page and reports its clicks.
  void page(const std::string& query, const std::vector<std::string>& items,
            const std::vector<std::string>& clicked) {
    const std::string impression = rank(query, items);
    for (const std::string& item : clicked) report(click(impression, item));
    report(close(impression));
  }
  std::string exported() { return call("GET", "/v1/export").body; }
};

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

// What a model has from its service is not taken elsewhere as its own.
TEST_F(Knowledge, CarriesOnlyTheTimesThatModelsHaveThemselves) {
  start("--close-after 20m");
  put("/v1/models/own", {{"close_after", "5m"}});
  put("/v1/models/other", json::object());
  const std::string state = exported();
  stop();
  forget_all();
  start("--close-after 10m");
  EXPECT_EQ(call("POST", "/v1/import", state).status, 200);
  const json models = get("/v1/models")["models"];
  ASSERT_EQ(models.size(), 3U);
  EXPECT_EQ(models[1]["close_after"], "10m");
  EXPECT_EQ(models[2]["close_after"], "5m");
  // An export of before did not tell them apart.
  const std::string before =
      "{\"format\":\"dcmrank.service-state\",\"version\":2}\n"
      R"({"model":"old","policy":"recommended","k":5,"close_after":"7m","mode":"online"})"
      "\n{\"end\":true,\"queries\":0}\n";
  EXPECT_EQ(call("POST", "/v1/import", before).status, 200);
  EXPECT_EQ(get("/v1/models")["models"][1]["close_after_of"], "model");
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

TEST_F(Knowledge, RefusesAPolicyThatCountsOtherwiseOnceAModelHasLearned) {
  start();
  page("q", {"a", "b"}, {"a"});
  const HttpAnswer refused = call("PUT", "/v1/models/default", R"({"policy":"ranked-exp3"})");
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(refused.code(), "other_counts");
  EXPECT_EQ(put("/v1/models/default", {{"policy", "ubm-ts"}})["policy"], "ubm-ts");
  EXPECT_EQ(query("q")["rounds"], 1);
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

TEST_F(Knowledge, IsTheSameWhereItIsImported) {
  start();
  put("/v1/models/kl", {{"policy", "ranked-kl-ucb"}, {"k", 2}});
  for (int n = 0; n < 40; ++n) {
    page("q" + std::to_string(n % 7), {"a", "b", "c"},
         n % 2 == 0 ? std::vector<std::string>{"b"} : std::vector<std::string>{});
    const std::string impression =
        rank({{"query", "r"}, {"items", {"a", "b", "c"}}, {"model", "kl"}});
    report(close(impression));
  }
  const std::string first = exported();
  const std::string elsewhere = another_place();
  Server other(folder(), elsewhere);
  HttpClient client(other.address());
  const HttpAnswer imported = client.call("POST", "/v1/import", first);
  ASSERT_EQ(imported.status, 200) << imported.body;
  EXPECT_EQ(imported.json()["imported"], 8);
  EXPECT_EQ(client.call("GET", "/v1/export").body, first);
  EXPECT_EQ(other.stop().status, 0);
  const Outcome verified = dcmrank("verify " + elsewhere);
  EXPECT_EQ(verified.status, 0) << verified.out;
}

TEST_F(Knowledge, StartsWarmFromAFittedModel) {
  start();
  write(folder() / "log.tsv", "shoes\ta,b,c\tb\nshoes\ta,b,c\tb,c\nshoes\tb,a,c\t\nhats\tx,y\tx\n");
  ASSERT_EQ(dcmrank("fit --format tsv log.tsv --prior 1,1 --out model.json").status, 0);
  const HttpAnswer answer = call("POST", "/v1/import", read(folder() / "model.json"));
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.json()["imported"], 2);
  const json learned = query("shoes");
  EXPECT_EQ(learned["rounds"], 3);
  EXPECT_EQ(learned["items"][1]["attracted"], 2);
  EXPECT_EQ(learned["items"][1]["observed"], 3);
  EXPECT_EQ(learned["termination"].size(), 0U);
  put("/v1/models/dcm", {{"policy", "dcm-ts"}});
  ASSERT_EQ(call("POST", "/v1/import?model=dcm", read(folder() / "model.json")).status, 200);
  EXPECT_EQ(query("shoes", "dcm")["termination"].size(), 3U);
  put("/v1/models/ranked", {{"policy", "ranked-exp3"}});
  EXPECT_EQ(call("POST", "/v1/import?model=ranked", read(folder() / "model.json")).code(),
            "other_counts");
  expect_verified();
  page("shoes", {"a", "b", "c"}, {"b"});
  EXPECT_EQ(query("shoes")["items"][1]["attracted"], 3);
  expect_verified();
}

// As many, with commas between them.
std::string zeros(std::size_t count) {
  std::string text = "0";
  for (std::size_t n = 1; n < count; ++n) text += ",0";
  return text;
}

TEST_F(Knowledge, RefusesImportsThatAreNone) {
  start();
  const std::string head = "{\"format\":\"dcmrank.service-state\",\"version\":1}\n";
  const std::string query = R"({"model":"default","query":"q","rounds":1,"positions":[],"items":)";
  const std::vector<std::string> bad{
      "",
      "hello",
      "{}",
      "{\"format\":\"dcmrank.service-state\",\"version\":2}\n",  // without its last line
      "{\"format\":\"dcmrank.service-state\",\"version\":3}\n",
      head + "{\"end\":false,\"queries\":0}",
      head + "{\"end\":true,\"queries\":0}\n" + query + "{}}",
      head + query + "{}}\n" + query + "{}}",
      head + query + "{\"a\":[" + zeros(20'001) + "]}}",
      head + "{",
      head + "[]",
      head + query + "{\"a\":[1.5]}}",
      head + query + "{\"a\":1}}",
      head + query + "{\"\":[1]}}",
      head + R"({"model":"nope","query":"q","rounds":1,)" + R"("positions":[],"items":{}})",
      head + R"({"model":"m","policy":"zz","k":1,)" + R"("close_after":"1m","mode":"online"})"};
  for (const std::string& body : bad) {
    const HttpAnswer answer = call("POST", "/v1/import", body);
    EXPECT_GE(answer.status, 400) << body;
    EXPECT_LT(answer.status, 500) << answer.body;
  }
  EXPECT_EQ(exported().find("\"query\""), std::string::npos);
  EXPECT_EQ(get("/v1/models")["models"].size(), 1U);
}

TEST_F(Knowledge, RefusesAnExportThatWasCut) {
  start();
  for (const char* name : {"p", "q"}) page(name, {"a", "b", "c"}, {"b"});
  const std::string whole = exported();
  call("DELETE", "/v1/models/default/queries/p");
  call("DELETE", "/v1/models/default/queries/q");
  for (std::size_t at = whole.find('\n'); at + 1 < whole.size(); at = whole.find('\n', at + 1)) {
    const HttpAnswer answer = call("POST", "/v1/import", whole.substr(0, at + 1));
    EXPECT_EQ(answer.code(), "bad_import") << at;
  }
  EXPECT_EQ(exported().find("\"query\""), std::string::npos);
  EXPECT_EQ(call("POST", "/v1/import", whole).status, 200);
  EXPECT_EQ(exported(), whole);
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

}  // namespace
}  // namespace dcmrank::testing
