// A disk of its own that is small, and gets full.
#include <atomic>
#include <fstream>
#include <thread>

#include <sys/mount.h>
#include <sys/statvfs.h>

#include "service_test.h"

namespace dcmrank::testing {
namespace {

class FullDisk : public SqliteTest {
 protected:
  void SetUp() override {
    SqliteTest::SetUp();
    if (IsSkipped()) return;
    std::filesystem::create_directories(data());
    if (::mount("tmpfs", data().c_str(), "tmpfs", 0, "size=24m") != 0) {
      GTEST_SKIP() << "no disk of its own can be mounted here";
    }
    mounted_ = true;
  }
  void TearDown() override {
    if (mounted_) ::umount2(data().c_str(), MNT_DETACH);
  }
  std::filesystem::path data() const { return folder() / "data"; }
  double free_mebibytes() const {
    struct statvfs found {};
    ::statvfs(data().c_str(), &found);
    return static_cast<double>(found.f_bavail) * static_cast<double>(found.f_frsize) / (1 << 20U);
  }
  // Durable lists, as quickly as they are taken, until there is no room, or so many were stored.
  int fill(int most) {
    std::atomic<int> stored = 0;
    std::atomic<bool> full = false;
    std::vector<std::thread> users;
    for (int user = 0; user < 8; ++user) {
      users.emplace_back([&, user] {
        HttpClient client(address());
        while (!full && stored < most) {
          json list = {{"query", "q" + std::to_string(++made_ % 50)}, {"durable", true}};
          list["id"] = std::to_string(made_) + "-" + std::to_string(user) + std::string(40, 'x');
          for (int n = 0; n < 20; ++n) {
            list["items"].push_back(std::string(20, 'i') + std::to_string(n));
          }
          const int status = client.call("POST", "/v1/rank", list.dump()).status;
          if (status == 200) ++stored;
          if (status == 503) full = true;
        }
      });
    }
    for (std::thread& user : users) user.join();
    return stored;
  }
  std::string why_not_ready() { return call("GET", "/readyz").body; }
  // Moving the log makes a little room again, which the next lists take.
  bool gets_full() {
    return eventually([&] {
      fill(100'000);
      return why_not_ready().find("the disk is full") != std::string::npos;
    });
  }

 private:
  bool mounted_ = false;
  std::atomic<int> made_ = 0;
};

TEST_F(FullDisk, ItsLogDoesNotFillIt) {
  start();
  EXPECT_GE(fill(3000), 3000) << why_not_ready() << free_mebibytes();
  EXPECT_GT(free_mebibytes(), 3);
  EXPECT_EQ(call("GET", "/readyz").status, 200);
  stop();
  expect_verified();
}

TEST_F(FullDisk, IsLeftWithRoomAndUsedAgainOnceThereIsMore) {
  std::ofstream(data() / "ballast") << std::string(std::size_t{12} << 20U, 'b');
  start();
  EXPECT_TRUE(gets_full()) << why_not_ready();
  EXPECT_GT(free_mebibytes(), 1);
  EXPECT_EQ(call("POST", "/v1/rank", R"({"query":"q","items":["a","b"]})").status, 200);
  EXPECT_TRUE(eventually([&] {
    fill(100'000);
    return call("POST", "/v1/feedback", R"({"impression":"none","type":"close"})").status == 503;
  }));
  std::filesystem::remove(data() / "ballast");
  EXPECT_TRUE(eventually([&] { return call("GET", "/readyz").status == 200; }));
  EXPECT_GT(fill(500), 499);
  EXPECT_TRUE(gets_full()) << why_not_ready();
  for (const int signal : {SIGTERM, SIGKILL}) {  // and it starts again
    stop(signal);
    expect_verified();
    ASSERT_NO_FATAL_FAILURE(start());
    EXPECT_TRUE(gets_full()) << why_not_ready();
  }
  stop();
  expect_verified();
}

}  // namespace
}  // namespace dcmrank::testing
