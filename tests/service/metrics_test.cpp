// What /metrics tells.
#include "key_hash.h"
#include "service_test.h"

namespace dcmrank::testing {
namespace {

class MetricsOfTheService : public ServiceTest {
 protected:
  struct Counted {
    double clicks;
    double pages;
    double clicked;
    bool operator==(const Counted&) const = default;
  };
  Counted of(const std::string& model) {
    const std::string label = "_total{model=\"" + model + "\"}";
    return {metric("dcmrank_clicks" + label), metric("dcmrank_pages" + label),
            metric("dcmrank_pages_clicked" + label)};
  }
  std::string shown(const std::string& model) {
    return rank({{"query", "q"}, {"items", {"a", "b"}}, {"model", model}, {"durable", true}});
  }
};

TEST_F(MetricsOfTheService, CountClicksAndPagesOfEachModel) {
  start();
  put("/v1/models/trial", {{"close_after", "300ms"}});
  const std::string first = shown("default");
  report(click(first, "a"));
  EXPECT_EQ(of("default"), (Counted{1, 0, 0}));
  report(click(first, "a"));  // is a duplicate
  report(click(first, "b"));
  report(close(first));
  EXPECT_EQ(of("default"), (Counted{2, 1, 1}));
  report(close(shown("default")));
  EXPECT_EQ(of("default"), (Counted{2, 2, 1}));
  const std::string second = shown("trial");
  EXPECT_TRUE(eventually([&] { return of("trial") == Counted{0, 1, 0}; }));
  report(click(second, "a"));  // after it closed by itself
  EXPECT_EQ(of("trial"), (Counted{1, 1, 1}));
  report(click(second, "b"));
  EXPECT_EQ(of("trial"), (Counted{2, 1, 1}));
  EXPECT_EQ(of("default"), (Counted{2, 2, 1}));
}

TEST_F(MetricsOfTheService, ForgetTheNameOfAModelThatWasErased) {
  start();
  put("/v1/models/secretshop", json::object());
  report(close(shown("secretshop")));
  EXPECT_EQ(of("secretshop").pages, 1);
  EXPECT_EQ(call("DELETE", "/v1/models/secretshop").status, 200);
  EXPECT_EQ(call("GET", "/metrics").body.find("secretshop"), std::string::npos);
}

TEST_F(MetricsOfTheService, NameABoundedNumberOfModels) {
  start();
  for (int n = 0; n < 60; ++n) {
    const std::string model = "m" + std::to_string(n);
    put("/v1/models/" + model, json::object());
    report(close(shown(model)));
  }
  EXPECT_EQ(metric("dcmrank_pages_total{model=\"m49\"}"), 1);
  EXPECT_EQ(metric("dcmrank_pages_total{model=\"m50\"}"), -1);
  EXPECT_EQ(metric("dcmrank_pages_total"), 10);
}

TEST_F(MetricsOfTheService, AreOfAllModelsAndForThoseWhoSeeAll) {
  write(folder() / "keys", key_line("root", "admin *") + key_line("one", "admin shop"));
  start("--keys keys");
  EXPECT_EQ(call("GET", "/metrics", "", bearer("root")).status, 200);
  EXPECT_EQ(call("GET", "/metrics", "", bearer("one")).status, 403);
}

TEST_F(MetricsOfTheService, AreThereHoweverBusyTheCallersAre) {
  start("--rate 1 --burst 1");
  for (int n = 0; n < 10; ++n) EXPECT_EQ(call("GET", "/metrics").status, 200);
}

TEST_F(MetricsOfTheService, AndHealthAndTheLogTellTheVersion) {
  const std::string words = dcmrank("--version").out;  // dcmrank 0.1.0 (…
  const std::string version = words.substr(8, words.find(" (") - 8);
  start("--log log");
  EXPECT_EQ(get("/healthz")["version"], version);
  EXPECT_EQ(get("/readyz")["version"], version);
  EXPECT_EQ(metric("dcmrank_build_info{version=\"" + version + "\"}"), 1);
  stop();
  EXPECT_NE(read(folder() / "log").find("\"version\":\"" + version + "\""), std::string::npos);
}

TEST_F(MetricsOfTheService, HaveAFirstValueBeforeAnythingIsRefused) {
  start();
  for (const char* code : {"wrong_key", "expired_key", "too_many_requests", "reload"}) {
    EXPECT_EQ(metric(std::string("dcmrank_http_refusals_total{code=\"") + code + "\"}"), 0) << code;
  }
}

}  // namespace
}  // namespace dcmrank::testing
