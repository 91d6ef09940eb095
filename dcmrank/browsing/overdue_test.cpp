#include "dcmrank/browsing/overdue.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace dcmrank {
namespace {

// Of three positions, where each of the two below the first is known as if by so many clicks.
BrowsingFit known_by(double clicks) {
  BrowsingFit fit;
  fit.root = {std::sqrt(clicks), 0, 0, std::sqrt(clicks)};
  return fit;
}

using Draws = std::vector<std::vector<double>>;

Draws asked(const BrowsingFit& fit, const PositionOrder& order, std::uint64_t pages,
            const std::vector<double>& x) {
  OverdueComparison overdue;
  Draws draws(4'000, x);
  for (std::size_t n = 0; n < draws.size(); ++n) overdue.ask(fit, order, pages, n, draws[n]);
  return draws;
}

std::size_t moved(const Draws& draws, const std::vector<double>& x) {
  std::size_t count = 0;
  for (const auto& draw : draws) count += draw != x ? 1 : 0;
  return count;
}

TEST(OverdueComparison, SupposesOnOnePageInFourThatItemsOfAPositionAreBetter) {
  const std::vector<double> x{0, 0};
  const Draws draws = asked(known_by(10), top_down(3), 30'000, x);
  EXPECT_NEAR(static_cast<double>(moved(draws, x)), 1'000, 100);
  const double second = -std::sqrt(2 * std::log(1'000.) / 10);  // against the first
  const double third = -std::sqrt(2 * std::log(2'000.) / 5);    // of the third against the second
  for (const auto& draw : draws) {
    if (draw == x) continue;
    if (draw[1] == 0) {
      EXPECT_NEAR(draw[0], second, 1e-12);
    } else {
      EXPECT_NEAR(draw[0], third / -2, 1e-12);
      EXPECT_NEAR(draw[1], third / 2, 1e-12);
    }
  }
}

TEST(OverdueComparison, LeavesADrawThatIsAsBold) {
  const std::vector<double> x{-2, -4};
  EXPECT_EQ(moved(asked(known_by(10), top_down(3), 30'000, x), x), 0U);
}

TEST(OverdueComparison, AsksNothingWhereAsMuchIsKnownAsPagesTell) {
  const std::vector<double> x{0, 0};
  EXPECT_EQ(moved(asked(known_by(10), top_down(3), 10, x), x), 0U);
  EXPECT_EQ(moved(asked(known_by(20'000), top_down(3), 30'000, x), x), 0U);
}

// The position of the next better item is not always the one above.
TEST(OverdueComparison, ComparesPositionsInTheOrderOfItems) {
  const std::vector<double> x{0, 0};
  for (const auto& draw : asked(known_by(10), {2, 1, 0}, 30'000, x)) {
    if (draw == x) continue;
    if (draw[1] == 0) {
      EXPECT_GT(draw[0], 0);  // the first against the second
    } else {
      EXPECT_LT(draw[0], 0);
      EXPECT_NEAR(draw[1], -draw[0], 1e-12);
    }
  }
}

TEST(OverdueComparison, HasNothingToAskOfOnePosition) {
  BrowsingFit fit;
  std::vector<double> none;
  OverdueComparison overdue;
  for (std::uint64_t key = 0; key < 100; ++key) overdue.ask(fit, {0}, 1'000, key, none);
  EXPECT_TRUE(none.empty());
}

}  // namespace
}  // namespace dcmrank
