#include "dcmrank/users/dcm_users.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace dcmrank {
namespace {

const Dcm kUsersDcm{{.6, .5, .4, .1, .9}, {.5, .1, .8}};

struct Visit {
  bool reward;
  std::vector<std::uint8_t> clicks;
};

Visit visit(const DcmUsers& users, std::uint64_t t, const std::vector<Item>& list) {
  Visit result{false, std::vector<std::uint8_t>(list.size())};
  result.reward = users.visit(t, list, result.clicks);
  return result;
}

TEST(Users, AreFixedByTimeWhateverIsShown) {
  const DcmUsers users(kUsersDcm, 1, 2);
  for (std::uint64_t t = 1; t < 2000; ++t) {
    const Visit first = visit(users, t, {0, 1, 2});
    const Visit other = visit(users, t, {0, 4, 3});
    EXPECT_EQ(first.clicks[0], other.clicks[0]);
    EXPECT_EQ(first.clicks[0] != 0, users.attracted(t, 0));
  }
}

TEST(Users, ClickWhatAttractsThemUntilTheyAreSatisfied) {
  const DcmUsers users(kUsersDcm, 1, 0);
  const std::vector<Item> list{2, 4, 0};
  for (std::uint64_t t = 1; t < 2000; ++t) {
    const Visit seen = visit(users, t, list);
    bool satisfied = false;
    for (std::size_t k = 0; k < list.size(); ++k) {
      EXPECT_EQ(seen.clicks[k] != 0, !satisfied && users.attracted(t, list[k]));
      satisfied = satisfied || (seen.clicks[k] != 0 && users.terminates(t, k));
    }
    EXPECT_EQ(seen.reward, satisfied);
  }
}

TEST(Users, AreAttractedAndTerminateAsOftenAsTheModelSays) {
  const DcmUsers users(kUsersDcm, 5, 0);
  constexpr int kUsers = 100000;
  const auto tolerance = [](double p) { return 4 * std::sqrt(p * (1 - p) / kUsers); };
  for (Item e = 0; e < kUsersDcm.items(); ++e) {
    int attracted = 0;
    for (int t = 1; t <= kUsers; ++t) attracted += users.attracted(std::uint64_t(t), e) ? 1 : 0;
    EXPECT_NEAR(attracted / double{kUsers}, kUsersDcm.attraction[e],
                tolerance(kUsersDcm.attraction[e]));
  }
  for (std::size_t k = 0; k < kUsersDcm.positions(); ++k) {
    int left = 0;
    for (int t = 1; t <= kUsers; ++t) left += users.terminates(std::uint64_t(t), k) ? 1 : 0;
    EXPECT_NEAR(left / double{kUsers}, kUsersDcm.termination[k],
                tolerance(kUsersDcm.termination[k]));
  }
}

TEST(Users, AreSatisfiedAsOftenAsTheExpectedRewardSays) {
  const DcmUsers users(kUsersDcm, 6, 0);
  const std::vector<Item> list{4, 1, 3};
  constexpr int kUsers = 100000;
  int satisfied = 0;
  for (int t = 1; t <= kUsers; ++t) satisfied += visit(users, std::uint64_t(t), list).reward;
  const double p = users.expected_reward(list);
  EXPECT_NEAR(satisfied / double{kUsers}, p, 4 * std::sqrt(p * (1 - p) / kUsers));
}

// Attractions of two items, and of one item at two times, are independent: their correlation over
// many users is as small as chance allows.
TEST(Users, AreAttractedIndependently) {
  const DcmUsers users(kUsersDcm, 7, 0);
  constexpr int kUsers = 100000;
  double items = 0;
  double times = 0;
  for (int t = 1; t <= kUsers; ++t) {
    const auto now = std::uint64_t(t);
    const double a = (users.attracted(now, 0) ? 1 : 0) - kUsersDcm.attraction[0];
    items += a * ((users.attracted(now, 1) ? 1 : 0) - kUsersDcm.attraction[1]);
    times += a * ((users.attracted(now + 1, 0) ? 1 : 0) - kUsersDcm.attraction[0]);
  }
  EXPECT_LT(std::abs(items) / kUsers, 4 * 0.25 / std::sqrt(kUsers));
  EXPECT_LT(std::abs(times) / kUsers, 4 * 0.25 / std::sqrt(kUsers));
}

TEST(Users, OfCertainProbabilitiesHaveNoChoice) {
  const Dcm certain{{1, 0}, {1, 0}};
  const DcmUsers users(certain, 1, 0);
  for (std::uint64_t t = 1; t < 1000; ++t) {
    EXPECT_TRUE(users.attracted(t, 0));
    EXPECT_FALSE(users.attracted(t, 1));
    EXPECT_TRUE(visit(users, t, {1, 0}).clicks[1] != 0);
    EXPECT_FALSE(visit(users, t, {1, 0}).reward);
  }
}

TEST(Users, GiveTheInitialSampleOfTimeZero) {
  const DcmUsers users(kUsersDcm, 1, 0);
  std::vector<std::uint8_t> sample(kUsersDcm.items());
  users.initial_sample(sample);
  for (Item e = 0; e < kUsersDcm.items(); ++e) EXPECT_EQ(sample[e] != 0, users.attracted(0, e));
}

// Of the orders of the three best items, with screens of one and of three positions.
TEST(Users, WithShortScreensAreMeasuredAgainstTheBestOrder) {
  const Dcm dcm{{.6, .5, .4, .3, .2}, {.2, .3, .8}};
  for (const ScreenDepths& depths : {ScreenDepths{.7, 0, .3}, {1, 0, 0}, {.2, .5, .3}, {0, 0, 1}}) {
    const DcmUsers users(dcm, 1, 0, depths);
    std::vector<Item> list{0, 1, 2};
    double best = 0;
    do {
      best = std::max(best, users.expected_reward(list));
    } while (std::next_permutation(list.begin(), list.end()));
    EXPECT_NEAR(users.best_expected_reward(), best, 1e-12);
  }
}

}  // namespace
}  // namespace dcmrank
