// What callers can make the service keep in memory, beside the bodies of their requests.
#include <filesystem>

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
  std::string asked;
  for (int n = 0; n < 4; ++n) asked += request("GET", path, "");
  std::vector<std::unique_ptr<HttpClient>> callers;
  bool busy = false;
  for (int n = 0; n < 40 && !busy; ++n) {
    callers.emplace_back(std::make_unique<HttpClient>(address()))->send(asked);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    busy = call("GET", path).code() == "busy";
  }
  EXPECT_TRUE(busy);
  EXPECT_GT(metric("dcmrank_http_refusals_total{code=\"busy\"}"), 0);
  EXPECT_EQ(call("POST", "/v1/rank", R"({"query":"q","items":["a"]})").status, 200);
  callers.clear();
  EXPECT_TRUE(eventually([&] { return status("GET", path, "") == 200; }));
}

// A file that SQLite is to close stays open as long as others have locks on it.
TEST_F(Memory, AndDescriptorsAreNotTakenForEveryExport) {
  if (over_postgres()) GTEST_SKIP() << "is about SQLite";
  start("--threads 1 --log log");
  import_large_query();
  const auto descriptors = [&] {
    const auto files = "/proc/" + std::to_string(process().pid()) + "/fd";
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(files)) {
      std::error_code gone;
      const auto file = std::filesystem::read_symlink(entry, gone).filename();
      count += file == "dcmrank.db" ? 1 : 0;
    }
    return count;
  };
  const auto exports = [&] {
    const std::string log = read(folder() / "log");
    const std::string act = R"("act":"export")";
    int count = 0;
    for (auto at = log.find(act); at != std::string::npos; at = log.find(act, at + 1)) ++count;
    return count;
  };
  const int before = descriptors();
  EXPECT_GT(before, 0);
  std::vector<std::unique_ptr<HttpClient>> callers;
  for (int n = 0; n < 20; ++n) {  // of whom nobody reads
    callers.emplace_back(std::make_unique<HttpClient>(address()))
        ->send(request("GET", "/v1/export", ""));
  }
  EXPECT_TRUE(eventually([&] { return exports() == 20; }));
  EXPECT_LE(descriptors(), before + 2);
  EXPECT_GT(callers.back()->receive().body.size(), 3'000'000U);
}

}  // namespace
}  // namespace dcmrank::testing
