// How much a key may ask for, over real HTTP.
#include "key_hash.h"
#include "service_test.h"

namespace dcmrank::testing {
namespace {

class Rates : public ServiceTest {
 protected:
  HttpAnswer ask(const std::string& key = "") {
    return call("GET", "/v1/models", "", key.empty() ? "" : bearer(key));
  }
  // Asks until it is refused; how often it was not.
  std::size_t ask_until_refused(const std::string& key = "") {
    for (std::size_t n = 0; n < 1000; ++n) {
      refusal_ = ask(key);
      if (refusal_.status != 200) return n;
    }
    return 1000;
  }
  void expect_refusal() {
    EXPECT_EQ(refusal_.status, 429);
    EXPECT_EQ(refusal_.code(), "too_many_requests");
    EXPECT_EQ(refusal_.headers["retry-after"], "1");
  }

 private:
  HttpAnswer refusal_;
};

TEST_F(Rates, AreRefusedAfterTheBurstAndTakenAgainWhenTheySay) {
  write(folder() / "keys", key_line("slow", "admin * rate=1 burst=5") +
                               key_line("other", "admin * rate=1 burst=5") +
                               key_line("free", "admin *"));
  start("--keys keys");
  EXPECT_GE(ask_until_refused("slow"), 5U);  // once per request, not more
  expect_refusal();
  EXPECT_EQ(ask("other").status, 200);
  for (int n = 0; n < 20; ++n) EXPECT_EQ(ask("free").status, 200);
  std::this_thread::sleep_for(std::chrono::seconds(1));
  EXPECT_EQ(ask("slow").status, 200);
  const HttpAnswer metrics = call("GET", "/metrics", "", bearer("free"));
  EXPECT_NE(metrics.body.find(R"(refusals_total{code="too_many_requests"} 1)"), std::string::npos);
}

TEST_F(Rates, HoldForAllCallersWhereThereAreNoKeys) {
  start("--rate 1 --burst 3");
  EXPECT_GE(ask_until_refused(), 3U);
  expect_refusal();
  EXPECT_EQ(call("GET", "/healthz").status, 200);
  EXPECT_EQ(call("GET", "/readyz").status, 200);
}

TEST_F(Rates, AreNotLimitedWithoutAWordAboutThem) {
  start();
  for (int n = 0; n < 200; ++n) EXPECT_EQ(client().call("GET", "/v1/models").status, 200);
}

TEST_F(Rates, AreRefusedBeforeTheBodyIsRead) {
  start("--rate 1 --burst 1");
  ask_until_refused();
  HttpClient caller(address());
  caller.send("POST /v1/rank HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n");
  EXPECT_EQ(caller.receive().status, 429);
}

TEST_F(Rates, GoOnWhereTheyWereWhenKeysAreReadAgain) {
  write(folder() / "keys", key_line("slow", "admin * rate=1 burst=400"));
  start("--keys keys --threads 1");
  EXPECT_GE(ask_until_refused("slow"), 400U);
  write(folder() / "keys",
        key_line("new", "admin *") + key_line("slow", "admin * rate=1 burst=400"));
  process().signal(SIGHUP);
  EXPECT_TRUE(eventually([&] { return ask("new").status == 200; }));
  EXPECT_LT(ask_until_refused("slow"), 200U);  // and not a bucket that is full again
}

}  // namespace
}  // namespace dcmrank::testing
