// Erasing what is too large to go in one step, and what the log says of it.
#include <chrono>
#include <filesystem>

#include "service_test.h"

namespace dcmrank::testing {
namespace {

class LargeErasure : public ServiceTest {
 protected:
  // A model with so many queries of one item each.
  void fill(const std::string& model, int queries) {
    std::string lines = "{\"format\":\"dcmrank.service-state\",\"version\":1}\n";
    for (int n = 0; n < queries; ++n) {
      lines += "{\"model\":\"" + model + "\",\"query\":\"secret-query-" + std::to_string(n) +
               "\",\"rounds\":1,\"positions\":[],\"items\":{\"secret-item\":[4294967296,0]}}\n";
    }
    put("/v1/models/" + model, json::object());
    ASSERT_EQ(call("POST", "/v1/import", lines).status, 200);
  }
  std::size_t logged(const std::string& event) const {
    const std::string log = process().err();
    std::size_t count = 0;
    for (auto at = log.find(event); at != std::string::npos; at = log.find(event, at + 1)) ++count;
    return count;
  }
  // In the files of SQLite, or in rows of PostgreSQL.
  bool is_anything_left() {
    if (over_postgres()) {
      return in_postgres(
                 "SELECT count(*) FROM query WHERE name IS NOT NULL AND model IN "
                 "(SELECT id FROM model WHERE name IS NULL)") != "0";
    }
    for (const auto& file : std::filesystem::directory_iterator(folder() / "data")) {
      if (read(file.path()).find("secret") != std::string::npos) return true;
    }
    return false;
  }
};

TEST_F(LargeErasure, IsCalledDoneOnceAndWhenNothingIsLeft) {
  start();
  fill("large", 5000);
  EXPECT_TRUE(over_postgres() || is_anything_left());
  call("DELETE", "/v1/models/large");
  const std::string done = over_postgres() ? "\"vacuumed\"" : "\"wiped\"";
  EXPECT_TRUE(eventually([&] { return logged(done) > 0; }));
  EXPECT_FALSE(is_anything_left());
  learn("q");
  std::this_thread::sleep_for(std::chrono::seconds(1));
  EXPECT_EQ(logged(done), 1U);
  EXPECT_EQ(stop().status, 0);
  expect_verified();
}

// A transaction for each query, and each of them waiting for the disk, took a minute.
TEST_F(LargeErasure, TakesAboutAsLongAsTheImport) {
  start();
  fill("large", 20'000);
  const auto before = std::chrono::steady_clock::now();
  call("DELETE", "/v1/models/large");
  EXPECT_TRUE(eventually([&] { return !is_anything_left(); }));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - before;
  RecordProperty("milliseconds", static_cast<int>(1000 * took.count()));
  EXPECT_LT(took.count(), 15);
}

// There is room for what is written, and not for the whole database once more.
TEST_F(LargeErasure, IsTriedAgainAfterGrowingPausesWhereTheDiskHasNoRoomForIt) {
  if (over_postgres()) GTEST_SKIP() << "is about SQLite";
  start();
  fill("large", 20'000);
  learn("secret-query");
  stop();
  start_on_bad_disk();
  disk("tight");
  call("DELETE", "/v1/models/default/queries/secret-query");
  EXPECT_TRUE(eventually([&] { return logged("\"not_wiped\"") > 0; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(2500));
  EXPECT_LE(logged("\"not_wiped\""), 3U);
  learn("q");
  disk_is_well();
  EXPECT_TRUE(eventually([&] { return logged("\"wiped\"") > 0; }));
}

}  // namespace
}  // namespace dcmrank::testing
