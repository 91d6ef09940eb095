// What an attack from outside found, each with its brothers: large bodies, another process on the
// same file, damaged rows, sums without end, foreign web pages.
#include <filesystem>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "service_test.h"

namespace dcmrank::testing {
namespace {

class Attack : public ServiceTest {
 protected:
  // Another process opens the database, does this, and closes it.
  std::string elsewhere(const std::string& sql) {
    const std::string script =
        "import sqlite3, sys\n"
        "base = sqlite3.connect('data/dcmrank.db', timeout=20)\n"
        "print(base.execute(sys.argv[1]).fetchall())\n"
        "base.commit()\n"
        "base.close()\n";
    Process process({"python3", "-c", script, sql}, folder());
    const Outcome outcome = process.wait();
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.out;
  }

  ino_t file_number(const std::string& name) const {
    struct stat found {};
    return stat((folder() / "data" / name).c_str(), &found) == 0 ? found.st_ino : 0;
  }

  void learn(const std::string& name) {
    const std::string impression = rank(name, {"a", "b"});
    EXPECT_EQ(report(click(impression, "a")), "accepted");
    EXPECT_EQ(report(close(impression)), "accepted");
  }

  // Where it need not be described, nor go well.
  int status(const std::string& method, const std::string& path, const std::string& body,
             const std::string& headers = "") {
    return HttpClient(address()).call(method, path, body, headers).status;
  }
};

TEST_F(Attack, ByLargeBodiesOfEverySizeLeavesTheirThreadAsItWas) {
  start("--threads 1");
  for (std::size_t round = 0; round < 60; ++round) {
    json items = json::array();
    for (std::size_t n = 0; n < 100 + 900 * (round % 7) / 6; ++n) {
      items.push_back(fmt::format("6ba7b810-9dad-11d1-80b4-{:012}", n * 7 + round));
    }
    const std::string body = json{{"query", "q"}, {"items", items}}.dump();
    ASSERT_EQ(status("POST", "/v1/rank", body), 200) << "request " << round;
    std::string lines;
    for (std::size_t n = 0; n < 100 * (round % 5); ++n) lines += click("none", "a").dump() + "\n";
    if (!lines.empty()) {
      ASSERT_EQ(status("POST", "/v1/feedback", lines), 200) << "request " << round;
    }
  }
}

// SQLite's locks are those of the process: whoever opens and closes the file beside it drops them,
// and the next reader from outside takes the log for one that nobody uses.
TEST_F(Attack, ByAnotherReaderLosesNoClick) {
  start();
  learn("q");
  const ino_t log = file_number("dcmrank.db-wal");
  ASSERT_NE(log, 0U);
  for (int round = 2; round <= 4; ++round) {
    EXPECT_EQ(elsewhere("SELECT rounds FROM query"), fmt::format("[({},)]\n", round - 1));
    EXPECT_EQ(file_number("dcmrank.db-wal"), log) << round;
    learn("q");
    EXPECT_EQ(dcmrank("backup --data data --out copy" + std::to_string(round)).status, 0);
  }
  stop(SIGKILL);
  start();
  EXPECT_EQ(query("q")["rounds"], 4);
  stop();
  expect_verified();
}

// A read that fails halfway must not stay open: the next one of its thread would see the past, and
// what is learned on top of that would be stored.
TEST_F(Attack, ByADamagedRowDoesNotKeepItsThreadInThePast) {
  start();
  learn("bad");
  learn("good");
  stop();
  elsewhere(
      "UPDATE item SET state = x'ff' WHERE query = (SELECT id FROM query WHERE name = 'bad')");
  start("--threads 1 --cache 64000");
  const std::string before = rank("good", {"a", "b"});
  std::vector<std::string> others;
  for (int n = 0; n < 300; ++n) others.push_back(rank("other" + std::to_string(n), {"a"}));
  EXPECT_EQ(status("POST", "/v1/rank", R"({"query":"bad","items":["a","b"]})"), 500);
  EXPECT_EQ(report(close(before)), "accepted");
  for (const std::string& other : others)
    EXPECT_EQ(report(close(other)), "accepted");  // good must go
  EXPECT_EQ(post("/v1/rank", {{"query", "good"}, {"items", {"a", "b"}}})["round"], 3);
  learn("good");
  EXPECT_EQ(query("good")["rounds"], 3);
  stop();
  EXPECT_EQ(elsewhere("SELECT rounds FROM query WHERE name = 'good'"), "[(3,)]\n");
}

TEST_F(Attack, ByDamageOfAnyRowStopsNobodyElse) {
  const std::string bad = "(SELECT id FROM query WHERE name = 'bad')";
  const std::string page = "(SELECT max(number) FROM impression WHERE query = " + bad + ")";
  for (const std::string& damage :
       {"UPDATE impression SET page = x'ff' WHERE number = " + page,
        "UPDATE impression SET contribution = x'ff', state = 1 WHERE number = " + page,
        "UPDATE impression SET events = x'ff' WHERE number = " + page,
        "UPDATE impression SET model = 99 WHERE number = " + page,
        "UPDATE impression SET query = 99 WHERE number = " + page,
        "UPDATE item SET state = x'ff' WHERE query = " + bad,
        "UPDATE query SET positions = x'ff' WHERE id = " + bad,
        "UPDATE query SET base_positions = x'ff' WHERE id = " + bad}) {
    std::filesystem::remove_all(folder() / "data");
    start();
    learn("bad");
    put("/v1/models/default", {{"close_after", "300ms"}});
    rank("bad", {"a", "b"});
    stop();
    elsewhere(damage);
    start("--keep 1ms --correct-for 1ms");
    rank("good", {"a", "b"});
    const std::string path = "/v1/models/default/queries/good";
    EXPECT_TRUE(eventually([&] {
      const HttpAnswer answer = HttpClient(address()).call("GET", path);
      return answer.status == 200 && answer.json()["rounds"] == 1;
    })) << damage;
    EXPECT_TRUE(eventually([&] { return status("GET", "/readyz", "") == 200; })) << damage;
    learn("good");
    EXPECT_EQ(stop().status, 0) << damage;
  }
}

TEST_F(Attack, BySumsWithoutEndGivesTheirSum) {
  start();
  const std::string most = std::to_string(std::int64_t{1} << 61U);
  const std::string lines =
      "{\"format\":\"dcmrank.service-state\",\"version\":1}\n"
      "{\"model\":\"default\",\"query\":\"q\",\"rounds\":1,\"positions\":[],\"items\":{\"a\":[" +
      most + "," + most + "]}}\n";
  for (int n = 1; n <= 20; ++n) {
    ASSERT_EQ(call("POST", "/v1/import", lines).status, 200);
    EXPECT_EQ(query("q")["items"][0]["observed"], n * double{1U << 29U});
  }
  learn("q");
  const std::string exported = call("GET", "/v1/export").body;
  stop();
  expect_verified();
  std::filesystem::remove_all(folder() / "data");
  start();
  ASSERT_EQ(call("POST", "/v1/import", exported).status, 200);
  EXPECT_EQ(call("GET", "/v1/export").body, exported);
}

// Without a key the service is for programs of this machine, not for pages that its browser shows.
TEST_F(Attack, ByAForeignWebPageIsRefused) {
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
  EXPECT_EQ(from("localhost:1"), 200);
  EXPECT_EQ(from("[::1]"), 200);
  EXPECT_EQ(from(address()), 200);
  EXPECT_EQ(status("POST", "/v1/feedback", event, "Origin: http://localhost\r\n"), 200);
  EXPECT_EQ(query("q")["rounds"], 1);
}

// A view of the first request must not be one of the next.
TEST_F(Attack, ByARequestBehindOneThatWaitsGetsBothAnswers) {
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

TEST_F(Attack, ByHeadHasNoBodyEvenWhereTheAnswerComesInPieces) {
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

TEST_F(Attack, ByEmptyLinesDoesNotRenewTheTimeForAHead) {
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

TEST_F(Attack, ByAllDescriptorsLeavesTheProcessorAlone) {
#ifdef DCMRANK_INSTRUMENTED
  GTEST_SKIP()
      << "sanitizers look at memory through pipes, and take it for broken without descriptors";
#endif
  start("", {"sh", "-c", "ulimit -n 60; exec \"$@\"", "sh"});
  std::vector<std::unique_ptr<HttpClient>> crowd;
  for (int n = 0; n < 100; ++n) crowd.push_back(std::make_unique<HttpClient>(address()));
  const double before = cpu_seconds(process().pid());
  std::this_thread::sleep_for(std::chrono::seconds(2));
  EXPECT_LT(cpu_seconds(process().pid()) - before, .5);
  crowd.clear();
  EXPECT_TRUE(eventually([&] { return status("GET", "/healthz", "") == 200; }));
}

TEST_F(Attack, ByAnotherMethodLearnsWhichThereAre) {
  start();
  const HttpAnswer answer = HttpClient(address()).call("PATCH", "/v1/models/default/queries/q");
  EXPECT_EQ(answer.status, 405);
  EXPECT_EQ(answer.headers.at("allow"), "GET, HEAD, DELETE");
  EXPECT_EQ(HttpClient(address()).call("GET", "/v1/rank").headers.at("allow"), "POST");
  learn("q");
  put("/v1/models/m", {{"k", 3}});
  EXPECT_EQ(status("DELETE", "/v1/models/default/queries/q", ""), 200);
  EXPECT_EQ(metric("dcmrank_http_requests_total{call=\"put_model\",status=\"200\"}"), 1);
  EXPECT_EQ(metric("dcmrank_http_requests_total{call=\"forget_query\",status=\"200\"}"), 1);
}

// The listener goes at once, so that a balancer sends nobody here any more; what is under way ends.
TEST_F(Attack, ByATermSignalTakesNoNewCaller) {
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

TEST_F(Attack, ByLargeBodiesWhereNoneIsNeededIsRefused) {
  start();
  for (const std::string path : {"/healthz", "/readyz", "/openapi.json", "/metrics"}) {
    EXPECT_EQ(status("GET", path, std::string(100'000, 'x')), 413) << path;
  }
}

class Tls : public Attack {
 protected:
  void certificate(const std::string& name) {
    Process process(
        {"openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
         "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout",
         name + ".key", "-out", name + ".pem"},
        folder());
    ASSERT_EQ(process.wait().status, 0);
  }
  Outcome curl(std::vector<std::string> words) {
    words.insert(words.begin(), {"curl", "-sS", "--max-time", "20"});
    Process process(words, folder());
    return process.wait();
  }
  void copy(const std::string& from, const std::string& to) {
    for (const char* kind : {".key", ".pem"}) {
      std::filesystem::copy_file(folder() / (from + kind), folder() / (to + kind),
                                 std::filesystem::copy_options::overwrite_existing);
    }
  }
};

TEST_F(Tls, IsSpokenWithTheCertificateOfToday) {
  certificate("old");
  certificate("new");
  copy("old", "now");
  start("--tls-cert now.pem --tls-key now.key");
  const std::string url = "https://" + address() + "/healthz";
  EXPECT_EQ(curl({"--cacert", "old.pem", url}).out, R"({"status":"ok"})");
  EXPECT_NE(curl({"--cacert", "new.pem", url}).status, 0);
  EXPECT_NE(curl({"--cacert", "old.pem", "--tls-max", "1.1", url}).status, 0);
  EXPECT_NE(curl({"http://" + address() + "/healthz"}).status, 0);
  copy("new", "now");
  process().signal(SIGHUP);
  EXPECT_TRUE(eventually([&] { return curl({"--cacert", "new.pem", url}).status == 0; }));
  EXPECT_NE(curl({"--cacert", "old.pem", url}).status, 0);
  write(folder() / "now.pem", "nonsense");  // what works is kept
  process().signal(SIGHUP);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_EQ(curl({"--cacert", "new.pem", url}).status, 0);
  const std::string body(900'000, ' ');
  EXPECT_EQ(curl({"--cacert", "new.pem", "https://" + address() + "/v1/rank", "-d",
                  R"({"query":"q","items":["a"]})" + body.substr(0, 90'000)})
                .out.find("impression"),
            2U);
}

TEST_F(Tls, NeedsBothFilesAndThatTheyFit) {
  certificate("one");
  certificate("two");
  const auto refused = [&](const std::string& options) {
    const Outcome outcome = dcmrank("serve --listen 127.0.0.1:0 --data data " + options);
    EXPECT_EQ(outcome.status, 2) << options;
    return outcome.err;
  };
  EXPECT_NE(refused("--tls-cert one.pem").find("go together"), std::string::npos);
  EXPECT_NE(refused("--tls-cert none.pem --tls-key one.key").find("none.pem"), std::string::npos);
  EXPECT_NE(refused("--tls-cert one.pem --tls-key two.key").find("two.key"), std::string::npos);
}

TEST_F(Tls, IsNotNeededOnAUnixSocket) {
  Server server(folder(), "--data data", {}, "unix:here.sock");
  EXPECT_EQ(server.address(), "unix:here.sock");
  EXPECT_EQ(curl({"--unix-socket", "here.sock", "http://localhost/healthz"}).out,
            R"({"status":"ok"})");
  EXPECT_EQ(dcmrank("serve --listen unix:here.sock --data other").status, 2);  // is in use
  EXPECT_EQ(server.stop().status, 0);
  EXPECT_FALSE(std::filesystem::exists(folder() / "here.sock"));
}

}  // namespace
}  // namespace dcmrank::testing
