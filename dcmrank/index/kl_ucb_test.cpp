#include "dcmrank/index/kl_ucb.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "dcmrank/random/rng.h"

namespace dcmrank {
namespace {

// The index by bisection in long double: slow and obvious.
long double plain_kl_ucb(const Counts& counts, double budget) {
  if (counts.observed == 0) return 1;
  const long double m = static_cast<long double>(counts.attracted) / counts.observed;
  if (budget <= 0 || m >= 1) return m;
  long double low = m;
  long double high = 1;
  for (int i = 0; i < 200; ++i) {
    const long double q = (low + high) / 2;
    const long double hit = m > 0 ? -m * log1pl((q - m) / m) : 0;
    const long double divergence = hit - (1 - m) * log1pl(-(q - m) / (1 - m));
    (counts.observed * divergence <= budget ? low : high) = q;
  }
  return low;
}

void expect_exact(const Counts& counts, double budget) {
  ASSERT_NEAR(static_cast<double>(plain_kl_ucb(counts, budget)), kl_ucb(counts, budget), 1e-10)
      << "observed " << counts.observed << " attracted " << counts.attracted << " budget "
      << budget;
}

// Counts from 1 to 10^9, means from 0 to 1 with both ends crowded, budgets from 10^-15 to 1000.
TEST(KlUcb, IsExactToTenDigitsEverywhere) {
  Rng rng(1);
  for (int i = 0; i < 40000; ++i) {
    const double observed = std::floor(std::pow(10, 9 * rng.uniform()));
    const double few = std::min(observed, static_cast<double>(rng.below(4)));
    const double budget = std::pow(10, -15 + 18 * rng.uniform());
    expect_exact({observed, std::floor(rng.uniform() * (observed + 1))}, budget);
    expect_exact({observed, few}, budget);
    expect_exact({observed, observed - few}, budget);
    expect_exact({observed * rng.uniform() + 0.01, 0.01 * rng.uniform()}, budget);
  }
}

TEST(KlUcb, HasTheClosedFormOfMeanZero) {
  EXPECT_DOUBLE_EQ(kl_ucb({5, 0}, 2), 1 - std::exp(-2.0 / 5));
  EXPECT_DOUBLE_EQ(kl_ucb({1e9, 0}, 1), -std::expm1(-1e-9));
}

TEST(KlUcb, IsOneForMeanOneAndForAnItemNeverObserved) {
  EXPECT_EQ(kl_ucb({5, 5}, 2), 1);
  EXPECT_EQ(kl_ucb({0, 0}, 2), 1);
  EXPECT_EQ(kl_ucb({0, 0}, 0), 1);
}

TEST(KlUcb, IsTheMeanWithoutABudget) {
  EXPECT_EQ(kl_ucb({4, 1}, 0), 0.25);
  EXPECT_EQ(kl_ucb({4, 1}, -3), 0.25);
}

TEST(KlUcb, GrowsWithTheBudgetAndStaysAProbability) {
  for (const double attracted : {0.0, 1.0, 3.0, 7.0}) {
    double before = attracted / 7;
    for (double budget = 1e-6; budget < 1000; budget *= 1.5) {
      const double index = kl_ucb({7, attracted}, budget);
      EXPECT_GE(index, before);
      EXPECT_LE(index, 1);
      before = index;
    }
  }
}

TEST(PaperBudget, IsLogTPlusThreeLogLogTClampedAtZero) {
  EXPECT_EQ(paper_budget(1), 0);
  EXPECT_EQ(paper_budget(2), 0);
  EXPECT_DOUBLE_EQ(paper_budget(1000), std::log(1000) + 3 * std::log(std::log(1000)));
}

TEST(BernoulliKl, IsZeroAtEqualMeansAndInfiniteAtExcludedOnes) {
  EXPECT_EQ(bernoulli_kl(.3, .3), 0);
  EXPECT_EQ(bernoulli_kl(0, 0), 0);
  EXPECT_EQ(bernoulli_kl(1, 1), 0);
  EXPECT_EQ(bernoulli_kl(.3, 0), std::numeric_limits<double>::infinity());
  EXPECT_EQ(bernoulli_kl(.3, 1), std::numeric_limits<double>::infinity());
  EXPECT_DOUBLE_EQ(bernoulli_kl(.5, .25), .5 * std::log(2) + .5 * std::log(2.0 / 3));
}

}  // namespace
}  // namespace dcmrank
