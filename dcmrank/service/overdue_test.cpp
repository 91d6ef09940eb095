#include "dcmrank/service/overdue.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace dcmrank::service {
namespace {

using std::chrono::milliseconds;

TEST(Overdue, RefusesOnceAndOnlyWhatNobodyAnswered) {
  Overdue overdue(milliseconds(0));
  std::vector<std::string> refused;
  const auto watch = [&] {
    return overdue.add([&](const Reason& why) { refused.push_back(why.why); });
  };
  const auto answered = watch();
  const auto late = watch();
  EXPECT_TRUE(answered->take());
  EXPECT_FALSE(answered->take());
  overdue.expire(our_reason("why"));
  overdue.expire(our_reason("again"));
  EXPECT_EQ(refused, std::vector<std::string>{"why"});
  EXPECT_TRUE(late->is_given());
  EXPECT_FALSE(late->take()) << "the refusal was given";
}

TEST(Overdue, NobodysTimeRunsWhileItIsPaused) {
  Overdue overdue(milliseconds(20));
  int refused = 0;
  overdue.pause();
  const auto one = overdue.add([&](const Reason&) { ++refused; });
  std::this_thread::sleep_for(milliseconds(40));
  overdue.expire({});
  EXPECT_EQ(refused, 0);
  overdue.resume();
  std::this_thread::sleep_for(milliseconds(40));
  overdue.expire({});
  EXPECT_EQ(refused, 1);
}

TEST(Overdue, CountsFromWhenTheCallerBeganToWait) {
  Overdue overdue(milliseconds(10'000));
  std::vector<int> refused;
  const auto now = Overdue::Clock::now();
  for (const int seconds : {1, 12, 3, 11}) {
    overdue.add([&, seconds](const Reason&) { refused.push_back(seconds); },
                now - std::chrono::seconds(seconds));
  }
  overdue.expire({});
  EXPECT_EQ(refused, (std::vector<int>{12, 11}));
}

}  // namespace
}  // namespace dcmrank::service
