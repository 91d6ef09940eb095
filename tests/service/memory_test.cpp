// What callers can make the service keep in memory, beside the bodies of their requests.
#include <fmt/format.h>

#include "dcmrank/base/effort_test.h"
#include "service_test.h"

namespace dcmrank::testing {
namespace {

class Memory : public ServiceTest {
 protected:
  // A query of which all that is known takes some megabytes to say.
  void import_large_query() {
    json items = json::object();
    for (int n = 0; n < 3000; ++n) items[fmt::format("{:01000}", n)] = {std::int64_t{1} << 32U, 0};
    const json query = {{"model", "default"},
                        {"query", "large"},
                        {"rounds", 1},
                        {"positions", json::array()},
                        {"items", items}};
    const std::string lines =
        "{\"format\":\"dcmrank.service-state\",\"version\":1}\n" + query.dump() + "\n";
    ASSERT_EQ(call("POST", "/v1/import", lines).status, 200);
  }
};

// A matrix of positions times candidates for each length of lists that was ever asked for.
TEST_F(Memory, IsNotKeptForEveryLengthOfLists) {
  start("--threads 1");
  put("/v1/models/long", {{"policy", "ranked-exp3"}});
  json items = json::array();
  for (int n = 0; n < 400; ++n) items.push_back(fmt::format("item {}", n));
  const int lists = effort(60, 5);
  for (int n = 0; n < lists; ++n) {
    post("/v1/rank", {{"model", "long"}, {"query", "q"}, {"items", items}, {"k", 400 - n}});
  }
  EXPECT_LT(stop().peak_kilobytes, effort(150'000, 4'000'000));
}

// A table of contexts, and of items, for as many positions as a model may have.
TEST_F(Memory, IsNotTakenForTheSquareOfK) {
  start("--max-items 10000");
  put("/v1/models/long", {{"k", 10'000}});
  const std::string lines = R"({"format":"dcmrank.service-state","version":1})"
                            "\n"
                            R"({"model":"imported","policy":"ubm-ts","k":10000,"close_after":"1m",)"
                            R"("mode":"online"})";
  EXPECT_EQ(call("POST", "/v1/import", lines).status, 200);
  post("/v1/rank", {{"model", "long"}, {"query", "q"}, {"items", {"a", "b"}}});
  EXPECT_LT(stop().peak_kilobytes, effort(150'000, 4'000'000));
}

TEST_F(Memory, OfAnswersThatNobodyTakesIsBounded) {
  start("--max-bodies 8000000 --max-import 8000000");
  import_large_query();
  const std::string path = "/v1/models/default/queries/large";
  EXPECT_GT(call("GET", path).body.size(), 3'000'000U);
  const auto refused = [&] { return metric("dcmrank_http_refusals_total{code=\"busy\"}") > 0; };
  std::string asked;
  for (int n = 0; n < 4; ++n) asked += request("GET", path, "");
  std::vector<std::unique_ptr<HttpClient>> callers;
  for (int n = 0; n < 12 && !refused(); ++n) {
    callers.emplace_back(std::make_unique<HttpClient>(address()))->send(asked);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  EXPECT_TRUE(eventually(refused));
  EXPECT_EQ(call("GET", path).code(), "busy");
  EXPECT_EQ(call("POST", "/v1/rank", R"({"query":"q","items":["a"]})").status, 200);
  callers.clear();
  EXPECT_TRUE(eventually([&] { return status("GET", path, "") == 200; }));
}

}  // namespace
}  // namespace dcmrank::testing
