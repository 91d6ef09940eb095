#include "dcmrank/base/atomic_file.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dcmrank/base/effort_test.h"
#include "dcmrank/base/error.h"

namespace dcmrank {
namespace {

namespace fs = std::filesystem;

class AtomicFileTest : public testing::Test {
 protected:
  AtomicFileTest() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~AtomicFileTest() override { fs::remove_all(folder_); }
  AtomicFileTest(const AtomicFileTest&) = delete;
  AtomicFileTest& operator=(const AtomicFileTest&) = delete;

  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  fs::path folder_ =
      fs::path(testing::TempDir()) /
      (testing::UnitTest::GetInstance()->current_test_info()->name() + std::to_string(::getpid()));
};

TEST_F(AtomicFileTest, AppearsWholeWhenCommitted) {
  AtomicFile file(folder_ / "a.json");
  file.write("one ");
  EXPECT_FALSE(fs::exists(folder_ / "a.json"));
  file.write("two");
  file.commit();
  EXPECT_EQ(read_file(folder_ / "a.json"), "one two");
  EXPECT_EQ(files(), 1U);
}

TEST_F(AtomicFileTest, LeavesNothingWithoutCommit) {
  { AtomicFile(folder_ / "a.json").write("half"); }
  EXPECT_EQ(files(), 0U);
}

TEST_F(AtomicFileTest, LeavesAnOlderFileAloneUntilCommit) {
  std::ofstream(folder_ / "a") << "old";
  {
    AtomicFile file(folder_ / "a");
    file.write("new");
    EXPECT_EQ(read_file(folder_ / "a"), "old");
  }
  EXPECT_EQ(read_file(folder_ / "a"), "old");
  AtomicFile file(folder_ / "a");
  file.write("new");
  file.commit();
  EXPECT_EQ(read_file(folder_ / "a"), "new");
}

TEST_F(AtomicFileTest, WritesThroughASymbolicLink) {
  std::ofstream(folder_ / "real") << "old";
  fs::create_symlink("real", folder_ / "link");
  AtomicFile file(folder_ / "link");
  file.write("new");
  file.commit();
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(read_file(folder_ / "real"), "new");
}

TEST_F(AtomicFileTest, NeverReplacesADevice) {
  AtomicFile file("/dev/null");
  file.write("nothing");
  file.commit();
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(AtomicFileTest, HasThePermissionsOfAnOrdinaryFile) {
  AtomicFile file(folder_ / "a");
  file.commit();
  std::ofstream(folder_ / "b") << "";
  EXPECT_EQ(fs::status(folder_ / "a").permissions(), fs::status(folder_ / "b").permissions());
}

TEST_F(AtomicFileTest, FollowsTheUmask) {
  for (const mode_t mask : {mode_t{0022}, mode_t{0027}, mode_t{0077}, mode_t{0}}) {
    const mode_t before = ::umask(mask);
    AtomicFile(folder_ / "a").commit();
    ::umask(before);
    EXPECT_EQ(static_cast<mode_t>(fs::status(folder_ / "a").permissions()), 0666 & ~mask);
    fs::remove(folder_ / "a");
  }
}

TEST_F(AtomicFileTest, KeepsThePermissionsOfTheFileThatItReplaces) {
  for (const auto permissions : {fs::perms{0600}, fs::perms{0664}, fs::perms{0400}}) {
    std::ofstream(folder_ / "a") << "old";
    fs::permissions(folder_ / "a", permissions);
    AtomicFile file(folder_ / "a");
    EXPECT_EQ(fs::status(file.temporary()).permissions(), permissions);
    file.write("new");
    file.commit();
    EXPECT_EQ(fs::status(folder_ / "a").permissions(), permissions);
    EXPECT_EQ(read_file(folder_ / "a"), "new");
    fs::remove(folder_ / "a");
  }
}

TEST(ReadFile, RefusesADeviceThatNeverEnds) {
  try {
    read_file("/dev/zero");
    ADD_FAILURE() << "it ended";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "cannot read /dev/zero: it is a device");
  }
}

// The umask is the process's: were it changed for a moment, another thread's files would show it.
TEST_F(AtomicFileTest, DoesNotChangeThePermissionsOfFilesOfOtherThreads) {
  const mode_t before = ::umask(0077);
  std::atomic<bool> done = false;
  std::atomic<int> wrong = 0;
  std::thread other([&] {
    const std::string name = folder_ / "other";
    while (!done) {
      const int file = ::open(name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
      struct stat status {};
      ::fstat(file, &status);
      wrong += (status.st_mode & 0777) != 0600 ? 1 : 0;
      ::close(file);
      ::unlink(name.c_str());
    }
  });
  for (int i = 0; i < effort(2000, 100); ++i) AtomicFile(folder_ / "a.json");
  done = true;
  other.join();
  ::umask(before);
  EXPECT_EQ(wrong, 0);
}

TEST_F(AtomicFileTest, HasATemporaryFileOfItsOwnEachTime) {
  const AtomicFile first(folder_ / "a.json");
  const AtomicFile second(folder_ / "a.json");
  EXPECT_NE(first.temporary(), second.temporary());
  EXPECT_EQ(files(), 2U);
}

TEST_F(AtomicFileTest, KeepsTheExtensionForProgramsThatLookAtIt) {
  EXPECT_EQ(AtomicFile(folder_ / "plot.svg").temporary().extension(), ".svg");
}

TEST_F(AtomicFileTest, IsRefusedAtOnceWhereItCannotBeWritten) {
  EXPECT_THROW(AtomicFile(folder_ / "missing" / "a"), InputError);
  EXPECT_THROW(AtomicFile{folder_}, InputError);
}

TEST_F(AtomicFileTest, CanBeMoved) {
  AtomicFile first(folder_ / "a");
  first.write("x");
  AtomicFile second(std::move(first));
  second.commit();
  EXPECT_EQ(read_file(folder_ / "a"), "x");
}

TEST_F(AtomicFileTest, FailsOnAFullDisk) {
  AtomicFile file("/dev/full");
  EXPECT_THROW(file.write("x"), std::runtime_error);
}

TEST_F(AtomicFileTest, FailsWhenTheTemporaryFileIsTakenAway) {
  AtomicFile file(folder_ / "a");
  fs::remove(file.temporary());
  EXPECT_THROW(file.commit(), std::runtime_error);
}

TEST_F(AtomicFileTest, IsItsOwnersAloneFromTheStartWhereThatIsWanted) {
  const mode_t before = ::umask(0022);
  AtomicFile file(folder_ / "a.db", AtomicFile::Readers::kOwner);
  ::umask(before);
  constexpr auto kOwner = fs::perms::owner_read | fs::perms::owner_write;
  EXPECT_EQ(fs::status(file.temporary()).permissions(), kOwner);
  file.commit();
  EXPECT_EQ(fs::status(folder_ / "a.db").permissions(), kOwner);
}

TEST_F(AtomicFileTest, RemovesWhatAKilledOneOfItsOwnersAloneLeft) {
  for (const char* name : {".a.0123abcd.db", ".a.0123abcd.db-journal", ".a.4567abcd.db", "a.db",
                           ".b.0123abcd.db", ".a.0123abcX.db", ".a.0123abcd.db2"}) {
    std::ofstream(folder_ / name) << "kept";
  }
  const AtomicFile living(folder_ / "a.db", AtomicFile::Readers::kOwner);
  EXPECT_EQ(files(), 5U);
  EXPECT_FALSE(fs::exists(folder_ / ".a.0123abcd.db"));
  EXPECT_FALSE(fs::exists(folder_ / ".a.0123abcd.db-journal"));
  AtomicFile(folder_ / "a.db", AtomicFile::Readers::kOwner).commit();
  EXPECT_TRUE(fs::exists(living.temporary())) << "somebody is writing it";
}

TEST_F(AtomicFileTest, IsReadWithTheReasonWhereItCannotBe) {
  EXPECT_THROW(read_file(folder_ / "missing"), InputError);
  EXPECT_THROW(read_file(folder_), InputError);
}

}  // namespace
}  // namespace dcmrank
