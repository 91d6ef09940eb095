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
    return overdue.add([&](const std::string& why) { refused.push_back(why); });
  };
  const auto answered = watch();
  const auto late = watch();
  EXPECT_TRUE(answered->take());
  EXPECT_FALSE(answered->take());
  overdue.expire("why");
  overdue.expire("again");
  EXPECT_EQ(refused, std::vector<std::string>{"why"});
  EXPECT_TRUE(late->is_given());
  EXPECT_FALSE(late->take()) << "the refusal was given";
}

TEST(Overdue, NobodysTimeRunsWhileItIsPaused) {
  Overdue overdue(milliseconds(20));
  int refused = 0;
  overdue.pause();
  const auto one = overdue.add([&](const std::string&) { ++refused; });
  std::this_thread::sleep_for(milliseconds(40));
  overdue.expire("");
  EXPECT_EQ(refused, 0);
  overdue.resume();
  std::this_thread::sleep_for(milliseconds(40));
  overdue.expire("");
  EXPECT_EQ(refused, 1);
}

}  // namespace
}  // namespace dcmrank::service
