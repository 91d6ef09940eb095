// Starts on a machine whose clock is wrong, and what goes for its age.
#include "service_test.h"

namespace dcmrank::testing {
namespace {

class WrongClock : public SqliteTest {
 protected:
  static constexpr const char* kHundredDays = "8640000";
  void start_ahead() {
    start("",
          {"env", std::string("LD_PRELOAD=") + places::kFailingDisk,
           "ASAN_OPTIONS=verify_asan_link_order=0", std::string("CLOCK_AHEAD=") + kHundredDays});
  }
  bool logged(const std::string& event) const {
    return process().err().find('"' + event + '"') != std::string::npos;
  }
  // Long enough for all that is too old to go.
  static void wait() { std::this_thread::sleep_for(std::chrono::milliseconds(1500)); }
};

TEST_F(WrongClock, RemovesNothing) {
  start();
  for (const char* name : {"p", "q", "r"}) learn(name);
  restart();
  EXPECT_FALSE(logged("clock_jumped"));
  stop();
  start_ahead();
  EXPECT_TRUE(eventually([&] { return logged("clock_jumped"); }));
  wait();
  EXPECT_EQ(query("q")["rounds"], 1);
  restart();
  wait();
  EXPECT_EQ(query("q")["rounds"], 1);
  EXPECT_FALSE(logged("unused_removed"));
  stop();
  expect_verified();
}

// What was stored by the wrong clock does not make it right.
TEST_F(WrongClock, RemovesNothingWhereItIsStartedAgainByIt) {
  start();
  learn("q");
  stop();
  start_ahead();
  learn("another");
  for (int again = 0; again < 2; ++again) {
    stop();
    start_ahead();
    wait();
    EXPECT_EQ(query("q")["rounds"], 1) << again;
    EXPECT_FALSE(logged("unused_removed"));
  }
}

// Times begin no earlier than the last one that is stored, which is still to come.
TEST_F(WrongClock, RemovesNothingAfterwardsEither) {
  start();
  learn("q");
  stop();
  start_ahead();
  learn("another");
  restart();
  EXPECT_TRUE(eventually([&] { return logged("clock_jumped"); }));
  wait();
  EXPECT_EQ(query("q")["rounds"], 1);
}

class Unused : public ServiceTest {};

TEST_F(Unused, QueriesThatGoAreCountedInTheLog) {
  start("--keep 1s --correct-for 1s --keep-unused 1s");
  learn("q");
  EXPECT_TRUE(eventually([&] {
    return process().err().find("\"unused_removed\",\"queries\":1") != std::string::npos;
  })) << process().err();
}

}  // namespace
}  // namespace dcmrank::testing
