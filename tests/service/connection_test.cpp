// What an attack from outside found on the connection: foreign web pages, requests behind others,
// HEAD, empty lines, no descriptors, signals.
#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <unistd.h>

#include "service_test.h"

namespace dcmrank::testing {
namespace {

class Connection : public ServiceTest {
 protected:
  // After SIGSTOP the threads of a process go on for a moment, one after the other.
  bool stands_still() const {
    const auto threads = fmt::format("/proc/{}/task", process().pid());
    return std::ranges::all_of(std::filesystem::directory_iterator(threads),
                               [](const auto& thread) {
                                 const std::string state = read(thread.path() / "stat");
                                 return state.substr(state.rfind(')') + 2, 1) == "T";
                               });
  }
};

// Without a key the service is for programs of this machine, not for pages that its browser shows.
TEST_F(Connection, ByAForeignWebPageIsRefused) {
  start();
  learn("q");
  const std::string event = click("none", "a").dump();
  for (const std::string& headers :
       {std::string("Origin: https://elsewhere.example\r\n"), std::string("Origin: null\r\n"),
        std::string("Sec-Fetch-Site: cross-site\r\n"), std::string("Content-Type: text/plain\r\n"),
        std::string("Content-Type: multipart/form-data; boundary=x\r\n")}) {
    EXPECT_EQ(status("POST", "/v1/feedback", event, headers), 403) << headers;
    EXPECT_EQ(status("POST", "/v1/rank", R"({"query":"q","items":["a"]})", headers), 403);
    if (headers.starts_with("Content")) continue;
    EXPECT_EQ(status("DELETE", "/v1/models/default/queries/q", "", headers), 403) << headers;
  }
  const auto from = [&](const std::string& host) {
    HttpClient client(address());
    client.send(
        fmt::format("GET /v1/export HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", host));
    return client.receive().status;
  };
  EXPECT_EQ(from("elsewhere.example"), 403);
  EXPECT_EQ(from("127.0.0.1.elsewhere.example:80"), 403);
  for (const char* host : {"127.", "127.0.0.999", "127.1.2.3.4", "127.0.0.1x", "127.0.0.1.",
                           "[::1].evil", "[::1", "[]", "localhost:abc", "localhost:",
                           "localhost:65536", ":80", "", "localhost.evil", "localhost.."}) {
    EXPECT_EQ(from(host), 403) << host;
  }
  for (const std::string& host :
       {std::string("localhost:1"), std::string("[::1]"), std::string("[::1]:80"),
        std::string("LocalHost"), std::string("localhost."), std::string("127.0.0.2"), address()}) {
    EXPECT_EQ(from(host), 200) << host;
  }
  EXPECT_EQ(status("POST", "/v1/feedback", event, "Origin: http://localhost\r\n"), 200);
  EXPECT_EQ(status("POST", "/v1/feedback", event, "Origin: https://localhost\r\n"), 403);
  EXPECT_EQ(query("q")["rounds"], 1);
}

// What curl -d says of a body is what a form of a page says of its own.
TEST_F(Connection, TakesBodiesOfJsonAloneWhereAPageMightSendOthers) {
  start();
  const auto with = [&](const std::string& headers) {
    return status("POST", "/v1/feedback", click("none", "a").dump(), headers);
  };
  for (const char* type :
       {"application/json", "application/json; charset=utf-8", "Application/JSON",
        "application/x-ndjson", "application/x-www-form-urlencoded"}) {
    EXPECT_EQ(with(fmt::format("Content-Type: {}\r\n", type)), 200) << type;
  }
  for (const char* type : {"application/xml", "application/jsonx", "text/json", "text/plain",
                           "application/octet-stream"}) {
    EXPECT_EQ(with(fmt::format("Content-Type: {}\r\n", type)), 403) << type;
  }
  const std::string form = "Content-Type: application/x-www-form-urlencoded\r\n";
  EXPECT_EQ(with(form + "Origin: http://localhost\r\n"), 403);
  EXPECT_EQ(with(form + "Sec-Fetch-Site: same-origin\r\n"), 403);
  EXPECT_EQ(with("Origin: http://localhost\r\nSec-Fetch-Site: same-origin\r\n"), 200);
}

// A view of the first request must not be one of the next.
TEST_F(Connection, ByARequestBehindOneThatWaitsGetsBothAnswers) {
  start();
  for (int n = 0; n < 50; ++n) {
    HttpClient client(address());
    client.send(request("POST", "/v1/feedback", click("none", "a").dump()));
    if (n % 2 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    client.send("HEAD /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    EXPECT_TRUE(client.receive().json().contains("results")) << n;
    EXPECT_NE(client.everything().find("200 OK"), std::string::npos) << n;
  }
}

TEST_F(Connection, ByHeadHasNoBodyEvenWhereTheAnswerComesInPieces) {
  start();
  learn("q");
  for (const std::string path : {"/v1/export", "/v1/models", "/openapi.json", "/nothing"}) {
    HttpClient client(address());
    client.send("HEAD " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    const std::string all = client.everything();
    EXPECT_TRUE(all.starts_with("HTTP/1.1 ")) << all;
    EXPECT_EQ(all.find("\r\n\r\n"), all.size() - 4) << all;
  }
}

TEST_F(Connection, ByEmptyLinesDoesNotRenewTheTimeForAHead) {
  start("--header-time 500ms --max-header 2000");
  HttpClient slow(address());
  const auto begin = std::chrono::steady_clock::now();
  bool open = true;
  while (open && std::chrono::steady_clock::now() - begin < std::chrono::seconds(20)) {
    open = slow.try_send("\r\n");
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_FALSE(open);
  HttpClient many(address());
  std::string lines;
  for (int n = 0; n < 2000; ++n) lines += "\r\n";
  many.send(lines);
  EXPECT_EQ(many.receive().status, 431);
}

double cpu_seconds(pid_t pid) {
  std::istringstream words(read("/proc/" + std::to_string(pid) + "/stat"));
  std::string word;
  double ticks = 0;
  for (int n = 1; n <= 15 && words >> word; ++n) {
    if (n >= 14) ticks += std::stod(word);
  }
  return ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

TEST_F(Connection, ByAllDescriptorsLeavesTheProcessorAlone) {
#ifdef DCMRANK_INSTRUMENTED  // sanitizers need descriptors themselves: the machine only says that
                             // none is left
  start_on_bad_disk();
  disk("none");
#else
  start("", {"sh", "-c", "ulimit -n 60; exec \"$@\"", "sh"});
#endif
  std::vector<std::unique_ptr<HttpClient>> crowd;
  for (int n = 0; n < 100; ++n) crowd.push_back(std::make_unique<HttpClient>(address()));
  const double before = cpu_seconds(process().pid());
  std::this_thread::sleep_for(std::chrono::seconds(2));
  EXPECT_LT(cpu_seconds(process().pid()) - before, .5);
  crowd.clear();
  disk_is_well();
  EXPECT_TRUE(eventually([&] { return status("GET", "/healthz", "") == 200; }));
  EXPECT_GT(metric("dcmrank_http_refusals_total{code=\"no_descriptor\"}"), 0);
  const std::string log = process().err();
  const auto told = log.find("\"not_accepting\"");
  EXPECT_NE(log.find("Too many open files", told), std::string::npos) << log;
  EXPECT_EQ(log.find("\"not_accepting\"", told + 1), std::string::npos) << "once a minute";
}

TEST_F(Connection, ToAPathWhereNothingIsLearnsWhereAllCallsAreListed) {
  start();
  for (const char* path : {"/", "/v1", "/v1/rank/", "/index.html"}) {
    const HttpAnswer answer = HttpClient(address()).call("GET", path);
    EXPECT_EQ(answer.status, 404) << path;
    EXPECT_NE(answer.body.find("/openapi.json"), std::string::npos) << answer.body;
  }
}

TEST_F(Connection, ByAnotherMethodLearnsWhichThereAre) {
  start();
  const HttpAnswer answer = HttpClient(address()).call("PATCH", "/v1/models/default/queries/q");
  EXPECT_EQ(answer.status, 405);
  EXPECT_EQ(answer.headers.at("allow"), "GET, HEAD, DELETE");
  EXPECT_EQ(HttpClient(address()).call("GET", "/v1/rank").headers.at("allow"), "POST");
  learn("q");
  put("/v1/models/m", {{"k", 3}});
  EXPECT_EQ(status("DELETE", "/v1/models/default/queries/q", ""), 200);
  EXPECT_EQ(metric("dcmrank_http_requests_total{call=\"put_model\",status=\"200\"}"), 1);
  EXPECT_EQ(metric("dcmrank_http_requests_total{call=\"erase_query\",status=\"200\"}"), 1);
}

// The listener goes at once, so that a balancer sends nobody here any more; what is under way ends.
TEST_F(Connection, ByATermSignalTakesNoNewCaller) {
  start("--header-time 30s");
  HttpClient begun(address());
  begun.send("POST /v1/rank HTTP/1.1\r\nHost: localhost\r\nContent-Length: 27\r\n\r\n{");
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  process().signal(SIGTERM);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_FALSE(HttpClient::can_connect(address()));
  begun.send(R"("query":"q","items":["a"]})");
  EXPECT_EQ(begun.receive().status, 200);
}

// Whoever sends nothing more holds nobody up, and is told why; so is whoever has sent something
// that the server did not come to read before it was told to stop.
TEST_F(Connection, ThatHasHalfARequestWhenTheServerStopsGetsAnAnswer) {
  start("--header-time 60s --body-time 60s");
  const std::string half_a_head = "POST /v1/rank HTTP/1.1\r\nHost: local";
  HttpClient head(address());
  head.send(half_a_head);
  HttpClient body(address());
  body.send("POST /v1/rank HTTP/1.1\r\nHost: localhost\r\nContent-Length: 27\r\n\r\n{");
  HttpClient idle(address());
  HttpClient unread(address());
  HttpClient whole(address());
  for (HttpClient* kept : {&idle, &unread, &whole}) {
    EXPECT_EQ(kept->call("GET", "/healthz").status, 200);
  }
  process().signal(SIGSTOP);
  ASSERT_TRUE(eventually([&] { return stands_still(); }));
  unread.send(half_a_head);
  const std::string request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
  whole.send(request);
  std::vector<std::unique_ptr<HttpClient>> waiting(50);  // whom it has not taken in yet
  for (auto& client : waiting) {
    client = std::make_unique<HttpClient>(address());
    client->send(request);
  }
  process().signal(SIGINT);
  const auto before = std::chrono::steady_clock::now();
  std::thread stopped([&] { EXPECT_EQ(stop(SIGCONT).status, 0); });
  EXPECT_TRUE(idle.ended());
  EXPECT_EQ(whole.receive().status, 200);
  for (const auto& client : waiting) EXPECT_EQ(client->receive().status, 200);
  for (HttpClient* half : {&head, &body, &unread}) {
    HttpAnswer answer = half->receive();
    EXPECT_EQ(answer.status, 503);
    EXPECT_EQ(answer.headers["connection"], "close");
    EXPECT_EQ(answer.status == 503 ? answer.code() : "", "stopping");
  }
  stopped.join();
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(30));
}

TEST_F(Connection, ByLargeBodiesWhereNoneIsNeededIsRefused) {
  start();
  for (const std::string path : {"/healthz", "/readyz", "/openapi.json", "/metrics"}) {
    EXPECT_EQ(status("GET", path, std::string(100'000, 'x')), 413) << path;
  }
}

TEST_F(Connection, ByBothSignalsAtOnceEndsAllTheSame) {
  for (int n = 0; n < 15; ++n) {
    start();
    process().signal(SIGHUP);
    EXPECT_EQ(stop().status, 0);
  }
}

// Bodies that never end, from many callers: what they take together is bounded, and small requests
// are answered all the time.
TEST_F(Connection, ByManyUnfinishedBodiesFindsABoundInBytes) {
  start("--max-bodies 2000000 --max-import 2000000");
  const std::string head =
      "POST /v1/rank HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900000\r\n\r\n";
  const std::string large =
      json{{"query", "q"}, {"items", {"a"}}, {"user", "u"}}.dump() + std::string(800'000, ' ');
  const auto refused = [&] { return status("POST", "/v1/rank", large) == 503; };
  std::vector<std::unique_ptr<HttpClient>> callers;
  for (int n = 0; n < 2; ++n) {
    HttpClient& caller = *callers.emplace_back(std::make_unique<HttpClient>(address()));
    caller.send(head + std::string(800'000, 'x'));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(500));  // and nobody else asks meanwhile
  EXPECT_TRUE(refused());
  EXPECT_EQ(call("POST", "/v1/rank", large).code(), "busy");
  EXPECT_EQ(call("POST", "/v1/rank", R"({"query":"q","items":["a"]})").status, 200);
  callers.clear();
  EXPECT_TRUE(eventually([&] { return !refused(); }));
  // In chunks nobody says how much will come.
  std::string chunks =
      "POST /v1/rank HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (int n = 0; n < 9; ++n) chunks += "186A0\r\n" + std::string(100'000, ' ') + "\r\n";
  const auto refusals = [&] { return metric("dcmrank_http_refusals_total{code=\"busy\"}"); };
  const double before = refusals();
  for (int n = 0; n < 4; ++n) {
    callers.emplace_back(std::make_unique<HttpClient>(address()))->try_send(chunks);
  }
  EXPECT_TRUE(eventually([&] { return refusals() >= before + 2; }));
}

// Whatever is wrong with the rest of the request: a body would be taken for the next answer.
TEST_F(Connection, ARefusalOfHeadHasNoBodyEither) {
  start("--header-time 300ms --max-connections 8");
  const std::string host = "Host: localhost\r\n";
  const auto refused = [&](const std::string& rest) {
    HttpClient client(address());
    client.send("HEAD " + rest);
    const std::string answer = client.everything();
    EXPECT_EQ(answer.find("\r\n\r\n"), answer.size() - 4) << answer;
    EXPECT_NE(answer.find("Content-Length: "), std::string::npos) << answer;
    return answer.substr(9, 3);
  };
  EXPECT_EQ(refused("/healthz HTTP/1.1\r\n" + host + "A: " + std::string(20000, 'x') + "\r\n\r\n"),
            "431");
  EXPECT_EQ(refused("/healthz HTTP/1.1\r\n" + host + "A : b\r\n\r\n"), "400");
  EXPECT_EQ(refused("/healthz HTTP/1.1\r\n" + host + "A: b\r\n c\r\n\r\n"), "400");
  EXPECT_EQ(refused("/healthz HTTP/1.1\r\n\r\n"), "400");
  EXPECT_EQ(refused("/healthz HTTP/1.1\r\nHost: loc"), "408");
  EXPECT_EQ(refused("/healthz HTTP/3.1\r\n" + host + "\r\n"), "505");
  std::vector<std::unique_ptr<HttpClient>> others;
  // Nobody is waited for there: what has not come yet is not known to be HEAD.
  EXPECT_TRUE(eventually([&] {
    others.push_back(std::make_unique<HttpClient>(address()));
    HttpClient one_more(address());
    if (!one_more.try_send("HEAD /healthz HTTP/1.1\r\n" + host + "\r\n\r\n")) return false;
    one_more.close_sending();
    const std::string answer = one_more.everything();
    return answer.starts_with("HTTP/1.1 503") && answer.ends_with("\r\n\r\n");
  }));
}

}  // namespace
}  // namespace dcmrank::testing
