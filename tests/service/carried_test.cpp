// What models learned, carried elsewhere.
#include "service_test.h"

namespace dcmrank::testing {
namespace {

class Carried : public ServiceTest {};

// As many, with commas between them.
std::string zeros(std::size_t count) {
  std::string text = "0";
  for (std::size_t n = 1; n < count; ++n) text += ",0";
  return text;
}

// What a model has from its service is not taken elsewhere as its own.
TEST_F(Carried, AreOnlyTheTimesThatModelsHaveThemselves) {
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

TEST_F(Carried, IsTheSameWhereItIsImported) {
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

TEST_F(Carried, StartsWarmFromAFittedModel) {
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

TEST_F(Carried, RefusesImportsThatAreNone) {
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

TEST_F(Carried, RefusesAnExportThatWasCut) {
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

}  // namespace
}  // namespace dcmrank::testing
