#include "dcmrank/store/checkpoints.h"

#include <gtest/gtest.h>

#include "../../tests/cli/process.h"
#include "dcmrank/store/layout.h"

namespace dcmrank::service {
namespace {

/// A writer that hardly waits for anybody, beside a database whose file takes long to write anew.
class CheckpointsTest : public ::testing::Test {
 protected:
  CheckpointsTest() : writer_(open_database(folder_.path())), checkpoints_(folder_.path()) {
    checkpoints_.watch(writer_, std::chrono::milliseconds(2));
    writer_.execute("CREATE TABLE ballast (bytes BLOB) STRICT");
    writer_.execute(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40) "
        "INSERT INTO ballast SELECT zeroblob(1000000) FROM n");
    writer_.execute("INSERT INTO meta(name, value) VALUES('to_wipe', 1)");
  }

  testing::TemporaryFolder folder_;
  Database writer_;
  Checkpoints checkpoints_;
};

TEST_F(CheckpointsTest, LetTheWriterWaitWhileTheFileIsWrittenAnew) {
  std::atomic<bool> wiped = false;
  std::thread wiper([&] {
    while (checkpoints_.wipe() == Store::Wiped::kNotYet) {
    }
    wiped = true;
  });
  int commits = 0;
  while (!wiped) {
    EXPECT_NO_THROW(writer_.execute("INSERT INTO ballast VALUES (x'00')"));
    ++commits;
  }
  wiper.join();
  EXPECT_EQ(writer_.number("SELECT count(*) FROM ballast"), 40 + commits);
}

TEST_F(CheckpointsTest, LetTheWriterGiveUpOnOthers) {
  Database other = open_database(folder_.path());
  other.execute("BEGIN IMMEDIATE");
  EXPECT_THROW(writer_.execute("INSERT INTO ballast VALUES (x'00')"), StorageError);
  other.execute("ROLLBACK");
  EXPECT_NO_THROW(writer_.execute("INSERT INTO ballast VALUES (x'00')"));
}

}  // namespace
}  // namespace dcmrank::service
