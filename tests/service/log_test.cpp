// The log: what is in it, and what must not be.
#include "log_test.h"

#include <algorithm>
#include <set>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "key_hash.h"

namespace dcmrank::testing {
namespace {

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
