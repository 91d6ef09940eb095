// The log: what is in it, and what must not be.
#include <algorithm>
#include <set>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "key_hash.h"
#include "service_test.h"

namespace dcmrank::testing {
namespace {

class Log : public ServiceTest {
 protected:
  std::vector<json> lines() const {
    std::vector<json> result;
    std::istringstream text(written_.empty() ? read(folder() / "log") : written_);
    for (std::string line; std::getline(text, line);) result.push_back(json::parse(line));
    return result;
  }
  std::vector<json> lines_of(const std::string& event) const {
    std::vector<json> result;
    for (const json& line : lines()) {
      if (line["event"] == event) result.push_back(line);
    }
    return result;
  }

  // More than the buffers of a connection hold.
  void fill() {
    const std::string long_id(1000, 'x');
    std::string lines = "{\"format\":\"dcmrank.service-state\",\"version\":1}\n";
    for (int n = 0; n < 15'000; ++n) {
      lines += R"({"model":"default","query":"q)" + std::to_string(n) +
               R"(","rounds":1,"positions":[],"items":{")" + long_id + R"(":[4294967296]}})" + "\n";
    }
    ASSERT_EQ(status("POST", "/v1/import", lines), 200);
  }

  std::string written_;  // to the standard error, where the log went there
};

TEST_F(Log, TellsOfStartAndStopAndEveryLineIsJson) {
  start("--log log");
  learn("q");
  stop();
  EXPECT_EQ(lines_of("started").size(), 1U);
  EXPECT_EQ(lines_of("stopping").size(), 1U);
  EXPECT_EQ(lines_of("stopped").size(), 1U);
  EXPECT_EQ(lines_of("request").size(), 0U);  // only where it is asked for
  for (const json& line : lines()) {
    EXPECT_TRUE(line.contains("time") && line.contains("level")) << line;
  }
}

// A pipe holds 64 KiB: whoever was to read them has hung up, or is stuck.
TEST_F(Log, ThatNobodyReadsKeepsNobodyWaiting) {
  const std::string pipe = (folder() / "log").string();
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const int reader = open(pipe.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(reader, 0);
  start("--log log --access-log 1");
  for (int n = 0; n < 1000; ++n) ASSERT_EQ(client().call("GET", "/v1/models").status, 200) << n;
  std::string taken(1U << 20U, '\0');
  taken.resize(static_cast<std::size_t>(::read(reader, taken.data(), taken.size())));
  EXPECT_LT(std::count(taken.begin(), taken.end(), '\n'), 1000);
  EXPECT_EQ(call("GET", "/v1/models").status, 200);
  taken.assign(4096, '\0');
  taken.resize(static_cast<std::size_t>(::read(reader, taken.data(), taken.size())));
  const json told = json::parse(taken.substr(0, taken.find('\n')));
  EXPECT_EQ(told["event"], "log_blocked");
  EXPECT_GT(told["left_out"], 0);
  ::close(reader);
  EXPECT_EQ(call("GET", "/v1/models").status, 200);  // nobody is there any more
  process().signal(SIGHUP);                          // and the log cannot be opened again
  EXPECT_TRUE(
      eventually([&] { return metric("dcmrank_http_refusals_total{code=\"reload\"}") == 1; }));
  EXPECT_EQ(stop().status, 0);
}

TEST_F(Log, ThatCannotBeWrittenIsSaidOnce) {
  start("--log /dev/full");
  EXPECT_EQ(call("GET", "/healthz").status, 200);
  EXPECT_EQ(stop().err, "dcmrank: --log /dev/full cannot be written: No space left on device\n");
}

TEST_F(Log, NamesARequestAsItsCallerSeesIt) {
  start_on_bad_disk("--access-log 1");
  const HttpAnswer named = call("GET", "/v1/models", "", "X-Request-Id: mine-7\r\n");
  EXPECT_EQ(named.headers.at("x-request-id"), "mine-7");
  const HttpAnswer hostile = call("GET", "/v1/models", "", "X-Request-Id: a\"b{}\r\n");
  const std::string made = hostile.headers.at("x-request-id");
  EXPECT_EQ(made.size(), 16U);
  const std::string impression = rank("secretquery", {"secretitem", "b"});
  disk("full");
  const HttpAnswer failed = call("POST", "/v1/feedback", close(impression).dump());
  EXPECT_EQ(failed.status, 503);
  disk_is_well();
  EXPECT_TRUE(eventually([&] { return call("GET", "/readyz").status == 200; }));
  written_ = stop().err;
  std::set<std::string> requests;
  for (const json& line : lines_of("request")) requests.insert(line["request"]);
  EXPECT_TRUE(requests.contains("mine-7") && requests.contains(made));
  bool told = false;
  for (const json& line : lines_of("failed")) {
    told = told || line["request"] == failed.headers.at("x-request-id");
  }
  EXPECT_TRUE(told);
  EXPECT_EQ(lines_of("storage_failed").size(), 1U);
  EXPECT_EQ(lines_of("storage_works_again").size(), 1U);
  EXPECT_EQ(written_.find("secret"), std::string::npos);
}

TEST_F(Log, AuditsWhatAdministratorsDoWithoutTheText) {
  write(folder() / "keys", key_line("rootkey", "admin,rank,feedback * name=boss"));
  start("--keys keys --log log --log-level error");
  const std::string key = bearer("rootkey") + "X-Request-Id: act\r\n";
  EXPECT_EQ(call("PUT", "/v1/models/secretshop", "{}", key).status, 200);
  call("POST", "/v1/rank",
       R"({"query":"secretquery","items":["a"],"id":"secretpage","durable":true})", key);
  EXPECT_EQ(call("DELETE", "/v1/impressions/secretpage", "", key).status, 200);
  EXPECT_EQ(call("DELETE", "/v1/models/secretshop", "", key).status, 200);
  EXPECT_EQ(call("GET", "/v1/export", "", key).status, 200);
  EXPECT_EQ(call("GET", "/v1/models", "", bearer("wrongkey")).status, 401);
  stop();
  std::vector<std::string> acts;
  std::vector<std::string> subjects;
  for (const json& line : lines_of("audit")) {
    acts.push_back(line["act"]);
    subjects.push_back(line.value("subject", ""));
    EXPECT_EQ(line["key"], "boss");
    EXPECT_EQ(line["request"], "act");
  }
  EXPECT_EQ(acts,
            (std::vector<std::string>{"put_model", "erase_impression", "erase_model", "export"}));
  EXPECT_EQ(subjects[0].size(), 16U);
  EXPECT_EQ(subjects[0], subjects[2]);  // the same model
  EXPECT_NE(subjects[0], subjects[1]);
  const std::string all = read(folder() / "log");
  for (const char* secret : {"secret", "rootkey", "wrongkey"}) {
    EXPECT_EQ(all.find(secret), std::string::npos) << secret;
  }
  EXPECT_EQ(lines_of("started").size(), 0U);
}

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
  EXPECT_EQ(bytes, (std::vector<std::size_t>{exported, models, 0, 0}));
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

TEST_F(Log, RepeatsNothingThatACallerSent) {
  start("--log log --access-log 1");
  EXPECT_EQ(call("GET", "/v1/models/secretmodel/queries").status, 404);
  EXPECT_EQ(call("PUT", "/v1/models/m", R"({"close_after":"secrettime"})").status, 400);
  EXPECT_EQ(call("PUT", "/v1/models/m", R"({"policy":"secretpolicy"})").status, 400);
  stop();
  EXPECT_EQ(lines_of("request").front()["problem"], "unknown_model");
  EXPECT_EQ(read(folder() / "log").find("secret"), std::string::npos);
}

// As docs/operations.md says how to find it: texts as they are, not as they stand in a path.
TEST_F(Log, NamesWhatWasErasedByAHashOfItsText) {
  start("--log log");
  rank({{"query", "Jane Doe"}, {"items", {"i/1", "b"}}, {"id", "page 1"}, {"durable", true}});
  call("DELETE", "/v1/models/default/queries/Jane%20Doe/items/i%2F1");
  call("DELETE", "/v1/impressions/page%201");
  call("PUT", "/v1/models/shop", "{}");
  stop();
  std::vector<std::string> subjects;
  for (const json& line : lines_of("audit")) subjects.push_back(line["subject"]);
  const auto hash = [](const char* text) {
    return hash_of(text).substr(std::string("sha256:").size(), 16);
  };
  EXPECT_EQ(subjects,
            (std::vector<std::string>{hash("default/Jane Doe/i/1"), hash("page 1"), hash("shop")}));
}

TEST_F(Log, IsNotFilledByOneWhoTriesKeys) {
  write(folder() / "keys", key_line("rootkey", "admin *"));
  start("--keys keys --log log");
  const auto begin = std::chrono::steady_clock::now();
  for (int n = 0; n < 300; ++n) status("GET", "/v1/models", "", bearer("guess"));
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  status("GET", "/v1/models", "", bearer("guess"));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  stop();
  const auto refused = lines_of("refused_key");
  constexpr double kLinesASecond = 20;
  EXPECT_LE(static_cast<double>(refused.size()), kLinesASecond * (took.count() + 2));
  std::uint64_t told = refused.size();
  for (const json& line : refused) {
    if (line.contains("left_out")) told += std::stoull(line["left_out"].get<std::string>());
  }
  EXPECT_EQ(told, 301U);
}

TEST_F(Log, IsOpenedAgainAtASignal) {
  start("--log log");
  std::filesystem::rename(folder() / "log", folder() / "log.1");
  process().signal(SIGHUP);
  EXPECT_TRUE(eventually([&] { return std::filesystem::exists(folder() / "log"); }));
  stop();
  EXPECT_EQ(lines_of("started").size(), 0U);
  EXPECT_EQ(lines_of("stopped").size(), 1U);
}

TEST_F(Log, ThatCannotBeWrittenIsRefusedAtTheStart) {
  const Outcome outcome = dcmrank("serve --listen 127.0.0.1:0 " + place() + " --log none/log");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("--log none/log"), std::string::npos) << outcome.err;
  EXPECT_EQ(dcmrank("serve --listen 127.0.0.1:0 " + place() + " --log-level loud").status, 2);
}

}  // namespace
}  // namespace dcmrank::testing
