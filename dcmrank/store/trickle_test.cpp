#include "dcmrank/store/trickle.h"

#include <thread>

#include <gtest/gtest.h>

#include "../../tests/cli/process.h"
#include "dcmrank/store/layout.h"

namespace dcmrank::service {
namespace {

/// A log that holds 256 pages and a few, which nobody has moved yet.
class TrickleTest : public ::testing::Test {
 protected:
  TrickleTest() : database_(open_database(folder_.path())) {
    database_.execute("CREATE TABLE ballast (bytes BLOB) STRICT");
    database_.execute(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 256) "
        "INSERT INTO ballast SELECT zeroblob(4000) FROM n");
  }

  void move() { database_.execute("PRAGMA wal_checkpoint(PASSIVE)"); }

  testing::TemporaryFolder folder_;
  Database database_;
};

TEST_F(TrickleTest, RestsAfterEachSixtyFourPagesThatAreMoved) {
  const Trickle trickle;
  move();
  EXPECT_GE(trickle.rests(), 4U);
  EXPECT_LE(trickle.rests(), 6U);
  EXPECT_EQ(database_.text("PRAGMA integrity_check"), "ok");
}

TEST_F(TrickleTest, DoesNotHoldUpOtherThreads) {
  const Trickle trickle;
  std::thread([&] { move(); }).join();
  EXPECT_EQ(trickle.rests(), 0U);
}

TEST_F(TrickleTest, EndsWithItsScope) {
  const Trickle outer;
  { const Trickle inner; }
  move();
  EXPECT_GE(outer.rests(), 4U);
  EXPECT_EQ(database_.number("SELECT count(*) FROM ballast"), 256);
}

}  // namespace
}  // namespace dcmrank::service
