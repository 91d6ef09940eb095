// The connection itself: pipelining, pieces, half-closed sides, and what smugglers try.
#include "service_test.h"

namespace dcmrank::testing {
namespace {

class Http : public ServiceTest {
 protected:
  void SetUp() override { start(); }

  // The head is refused with this status, and nothing after it on the connection is obeyed.
  void refuses(const std::string& head, int status) {
    HttpClient client(address());
    client.send(head + "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const HttpAnswer answer = client.receive();
    EXPECT_EQ(answer.status, status) << head;
    EXPECT_EQ(answer.headers.at("connection"), "close") << head;
    EXPECT_EQ(client.receive().status, 0) << head;
    EXPECT_EQ(call("GET", "/healthz").status, 200);
  }
};

TEST_F(Http, AnswersPipelinedRequestsInTheirOrder) {
  const std::string impression = rank("q", {"a", "b"});
  std::string all;
  for (int n = 0; n < 100; ++n) {
    all += request("GET", "/healthz", "");
    all += request("POST", "/v1/feedback", click("none" + std::to_string(n), "a").dump());
    all += request("POST", "/v1/rank", R"({"query":"q","items":["a","b"]})");
  }
  client().send(all);
  for (int n = 0; n < 100; ++n) {
    EXPECT_EQ(client().receive().json()["status"], "ok");
    EXPECT_TRUE(client().receive().json().contains("results"));
    EXPECT_TRUE(client().receive().json().contains("items"));
  }
}

TEST_F(Http, TakesARequestInAnyPieces) {
  const std::string text = request("POST", "/v1/rank", R"({"query":"q","items":["a","b"]})");
  for (const char byte : text) {
    client().send(std::string(1, byte));
  }
  EXPECT_EQ(client().receive().status, 200);
  const std::string chunks =
      "POST /v1/rank HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
      "5\r\n{\"que\r\n1A;x=y\r\nry\":\"q\",\"items\":[\"a\",\"b\"]}\r\n0\r\nTrailer: x\r\n\r\n";
  client().send(chunks + request("GET", "/healthz", ""));
  EXPECT_EQ(client().receive().status, 200);
  EXPECT_EQ(client().receive().status, 200);
}

TEST_F(Http, AnswersACallerThatClosedItsOwnSide) {
  HttpClient rank(address());
  rank.send(request("POST", "/v1/rank", R"({"query":"q","items":["a","b"]})"));
  rank.close_sending();
  EXPECT_EQ(rank.receive().status, 200);
  HttpClient feedback(address());
  feedback.send(request("POST", "/v1/feedback", click("none", "a").dump()));
  feedback.close_sending();
  EXPECT_EQ(feedback.receive().status, 200);
  HttpClient half(address());
  half.send("POST /v1/rank HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{");
  half.close_sending();
  EXPECT_TRUE(half.ended());
}

TEST_F(Http, KeepsTheConnectionUnlessItIsAskedToClose) {
  EXPECT_EQ(client().call("GET", "/healthz").status, 200);
  const HttpAnswer last = client().call("GET", "/healthz", "", "Connection: close\r\n");
  EXPECT_EQ(last.headers.at("connection"), "close");
  EXPECT_TRUE(client().ended());
  HttpClient old(address());
  old.send("GET /healthz HTTP/1.0\r\n\r\n");
  EXPECT_EQ(old.receive().status, 200);
  EXPECT_TRUE(old.ended());
  HttpClient patient(address());
  for (int n = 0; n < 2; ++n) {
    patient.send("GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    EXPECT_EQ(patient.receive().headers.at("connection"), "keep-alive");
  }
  patient.send("GET /v1/export HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_EQ(patient.receive().status, 505);
  EXPECT_TRUE(patient.ended());
}

TEST_F(Http, SaysContinueWhereItIsAsked) {
  client().send(
      "POST /v1/rank HTTP/1.1\r\nHost: localhost\r\nContent-Length: 29\r\nExpect: "
      "100-continue\r\n\r\n");
  client().send(R"({"query":"q","items":["a"]}  )");
  EXPECT_EQ(client().receive().status, 200);
  HttpClient other(address());
  other.send("POST /v1/rank HTTP/1.1\r\nHost: localhost\r\nExpect: magic\r\n\r\n");
  EXPECT_EQ(other.receive().status, 417);
}

TEST_F(Http, AnswersHeadWithoutABody) {
  HttpClient head(address());
  head.send("HEAD /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(head.receive().body, "");
  EXPECT_TRUE(head.ended());
}

TEST_F(Http, RefusesWhatTwoReadersCouldUnderstandDifferently) {
  const std::string line = "POST /v1/rank HTTP/1.1\r\nHost: localhost\r\n";
  refuses(line + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400);
  refuses(line + "Content-Length: 5\r\nContent-Length: 6\r\n\r\n", 400);
  refuses(line + "Content-Length: 5\r\nContent-Length: 5\r\n\r\n", 400);
  refuses(line + "Content-Length: +5\r\n\r\n", 400);
  refuses(line + "Content-Length: 5, 5\r\n\r\n", 400);
  refuses(line + "Content-Length: 0x5\r\n\r\n", 400);
  refuses(line + "Content-Length: 99999999999999999999\r\n\r\n", 400);
  refuses(line + "Transfer-Encoding: gzip, chunked\r\n\r\n", 501);
  refuses(line + "Transfer-Encoding: xchunked\r\n\r\n", 501);
  refuses(line + "Transfer-Encoding : chunked\r\n\r\n", 400);
  refuses(line + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", 400);
  refuses(line + "X: a\r\n folded\r\n\r\n", 400);
  refuses(line + "X: a\nContent-Length: 5\r\n\r\n", 400);
  refuses(line + "X: a\rb\r\n\r\n", 400);
  refuses(line + "no colon\r\n\r\n", 400);
  refuses(line + ": empty\r\n\r\n", 400);
  refuses(line + "Host: y\r\n\r\n", 400);
  refuses("POST /v1/rank HTTP/1.1\r\n\r\n", 400);
  refuses("POST /v1/rank HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400);
  refuses("POST /v1/rank HTTP/2.0\r\nHost: localhost\r\n\r\n", 505);
  refuses("POST  /v1/rank HTTP/1.1\r\nHost: localhost\r\n\r\n", 400);
  refuses("POST http://x/v1/rank HTTP/1.1\r\nHost: localhost\r\n\r\n", 400);
  refuses("garbage\r\n\r\n", 400);
  refuses(line + "Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n", 400);
  refuses(line + "Transfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n", 400);
}

TEST_F(Http, LeavesACallerThatDoesNotTakeItsAnswers) {
  restart(SIGTERM, "--answer-time 200ms");
  HttpClient greedy(address());
  std::string all;
  for (int n = 0; n < 2000; ++n) all += request("GET", "/openapi.json", "");
  greedy.send(all);  // 26 MB of answers
  EXPECT_TRUE(eventually([&] { return metric("dcmrank_connections") <= 2; }));
  EXPECT_EQ(call("GET", "/healthz").status, 200);
}

TEST_F(Http, OutlivesCallersThatLeave) {
  for (int n = 0; n < 50; ++n) {
    HttpClient leaves(address());
    leaves.send(request("POST", "/v1/feedback", click("none", "a").dump()));
  }
  EXPECT_EQ(call("GET", "/healthz").status, 200);
  EXPECT_TRUE(eventually([&] { return metric("dcmrank_connections") <= 2; }));
}

}  // namespace
}  // namespace dcmrank::testing
