// What the log says about each request.
#include <algorithm>
#include <set>

#include "key_hash.h"
#include "log_test.h"

namespace dcmrank::testing {
namespace {

// Of whatever length it is, and whether or not it comes in pieces.
TEST_F(Log, CountsTheBytesOfTheBody) {
  start("--log log --access-log 1");
  fill();
  const auto size_of = [&](const std::string& path) { return call("GET", path).body.size(); };
  const std::size_t exported = size_of("/v1/export");
  const std::size_t models = size_of("/v1/models");
  for (const std::string path : {"/v1/export", "/v1/models"}) {
    HttpClient head(address());
    head.send("HEAD " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    EXPECT_EQ(head.everything().find("HTTP/1.1 200"), 0U);
  }
  HttpClient old(address());
  old.send("GET /v1/export HTTP/1.0\r\n\r\n");
  EXPECT_EQ(old.receive().status, 505);
  stop();
  std::vector<std::size_t> bytes;
  for (const json& line : lines_of("request")) {
    if (line["status"] != 200) continue;
    if (line["call"] == "export" || line["call"] == "list_models") bytes.push_back(line["bytes"]);
  }
  std::ranges::sort(bytes);  // requests of two connections are logged in any order
  EXPECT_EQ(bytes, (std::vector<std::size_t>{0, 0, std::min(models, exported),
                                             std::max(models, exported)}));
  // Those who got nothing have exported nothing.
  EXPECT_EQ(std::ranges::count(lines_of("audit"), json("export"),
                               [](const json& line) { return line["act"]; }),
            1);
}

TEST_F(Log, TellsOfAnExportThatWasNotTakenToItsEnd) {
  start("--log log --access-log 1");
  fill();
  const std::size_t exported = call("GET", "/v1/export").body.size();
  {
    HttpClient leaves(address());
    leaves.send(request("GET", "/v1/export", ""));
  }
  EXPECT_TRUE(eventually([&] {
    return std::ranges::count(lines_of("request"), json("export"),
                              [](const json& line) { return line["call"]; }) == 2;
  }));
  const json last = lines_of("request").back();
  EXPECT_LT(last["bytes"], exported);
  EXPECT_TRUE(last.contains("problem")) << last;
}

// Refused before their bodies are read: who it was is known all the same.
TEST_F(Log, NamesTheKeyAndTheAddressOfWhoIsRefused) {
  write(folder() / "keys", key_line("rootkey", "admin * name=boss") +
                               key_line("slow", "rank * name=page rate=1 burst=1") +
                               key_line("old", "rank * name=former expires=2020-01-01"));
  start("--keys keys --log log");
  const std::string body = R"({"query":"q","items":["a"]})";
  EXPECT_EQ(status("POST", "/v1/rank", body, bearer("old")), 401);
  EXPECT_EQ(status("POST", "/v1/rank", body, bearer("wrong")), 401);
  EXPECT_EQ(status("POST", "/v1/rank", body, bearer("rootkey")), 403);
  while (status("POST", "/v1/rank", body, bearer("slow")) != 429) {
  }
  // A request is counted and logged once its answer is sent: those of two connections in any order.
  for (const char* refusal : {"401", "403", "429"}) {
    const std::string counted =
        std::string("dcmrank_http_requests_total{call=\"rank\",status=\"") + refusal + '"';
    EXPECT_TRUE(eventually([&] {
      return call("GET", "/metrics", "", bearer("rootkey")).body.find(counted) != std::string::npos;
    })) << counted;
  }
  stop();
  std::vector<json> told = lines_of("refused_key");
  EXPECT_EQ(told.size(), 2U);
  for (const json& line : lines_of("refused")) told.push_back(line);
  std::multiset<std::string> named;
  for (const json& line : told) {
    named.insert(line["event"].get<std::string>() + ' ' + line.value("key", "none"));
    EXPECT_EQ(line["call"], "rank") << line;
    EXPECT_EQ(line["peer"], "127.0.0.1") << line;
  }
  EXPECT_EQ(named, (std::multiset<std::string>{"refused boss", "refused page", "refused_key former",
                                               "refused_key none"}));
}

// Over PostgreSQL most of them are answered by another thread, or when they are stored.
TEST_F(Log, NamesTheCallAndTheKeyWhoeverAnswersAndWhenever) {
  write(folder() / "keys", key_line("rootkey", "admin,rank,feedback * name=boss"));
  start("--keys keys --log log --access-log 1");
  std::vector<std::string> calls;
  const auto ask = [&](const char* called, const std::string& method, const std::string& path,
                       const std::string& body = "") {
    call(method, path, body, bearer("rootkey"));
    calls.emplace_back(called);
  };
  ask("rank", "POST", "/v1/rank", R"({"query":"new","items":["a","b"],"durable":true})");
  ask("rank", "POST", "/v1/rank", R"({"query":"other","items":["a"],"id":"p","durable":true})");
  ask("rank", "POST", "/v1/rank", R"({"query":"other","items":["a"],"id":"p","durable":true})");
  ask("rank", "POST", "/v1/rank", R"({"query":"new","items":["a"],"id":"q","durable":true})");
  ask("rank", "POST", "/v1/rank", R"({"query":"third","items":["a"],"id":"r"})");
  ask("rank", "POST", "/v1/rank", R"({"query":"q","items":["a"],"id":"p","durable":true})");  // 409
  ask("rank", "POST", "/v1/rank", R"({"query":"q","items":["a"],"model":"none"})");
  ask("feedback", "POST", "/v1/feedback", R"({"impression":"p","item":"a","type":"click"})");
  ask("feedback", "POST", "/v1/feedback",
      R"({"impression":"p","item":"a","type":"click","model":"none"})");
  ask("put_model", "PUT", "/v1/models/shop", "{}");
  ask("list_queries", "GET", "/v1/models/shop/queries");
  ask("get_query", "GET", "/v1/models/default/queries/other");
  ask("get_impression", "GET", "/v1/impressions/p");
  const std::string exported = call("GET", "/v1/export", "", bearer("rootkey")).body;
  calls.emplace_back("export");
  ask("import", "POST", "/v1/import", exported);
  ask("erase_impression", "DELETE", "/v1/impressions/p");
  ask("erase_query", "DELETE", "/v1/models/default/queries/new");
  ask("erase_model", "DELETE", "/v1/models/shop");
  HttpClient old(address());  // is refused when the answer is there
  old.send("GET /v1/export HTTP/1.0\r\nHost: 127.0.0.1\r\n" + bearer("rootkey") + "\r\n");
  EXPECT_EQ(old.receive().status, 505);
  calls.emplace_back("export");
  stop();
  std::vector<std::string> told;
  for (const json& line : lines()) {
    if (!line.contains("method")) continue;
    told.push_back(line["call"]);
    EXPECT_EQ(line.value("key", ""), "boss") << line;
  }
  std::ranges::sort(told);  // requests of two connections are logged in any order
  std::ranges::sort(calls);
  EXPECT_EQ(told, calls);
}

TEST_F(Log, SaysWhereARequestNamedNoCall) {
  start("--log log --access-log 1");
  HttpClient wrong(address());
  wrong.send("NONSENSE\r\n\r\n");
  EXPECT_EQ(wrong.receive().status, 400);
  EXPECT_EQ(status("GET", "/nowhere", ""), 404);
  stop();
  const auto requests = lines_of("request");
  ASSERT_EQ(requests.size(), 2U);
  for (const json& line : requests) EXPECT_EQ(line["call"], "none") << line;
}

TEST_F(Log, HasAddressesOfAllOnlyWhereAllRequestsAreInIt) {
  start("--log log --slow-time 1ms");
  EXPECT_TRUE(eventually([&] {
    learn("q");
    return !lines_of("slow").empty();
  }));
  stop();
  for (const json& line : lines()) EXPECT_FALSE(line.contains("peer")) << line;
  start("--log log --access-log 1");
  rank("q", {"a", "b"});
  stop();
  ASSERT_FALSE(lines_of("request").empty());
  EXPECT_EQ(lines_of("request").back()["peer"], "127.0.0.1");
}

}  // namespace
}  // namespace dcmrank::testing
