#include "dcmrank/random/beta_tail.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace dcmrank {
namespace {

struct Case {
  double a;
  double b;
  double threshold;
};

std::vector<Case> cases() {
  return {{1, 1, .9},    {1, 2, .8},        {2, 1, .95},       {3, 1, .9999},  {1.0000001, 1.5, .6},
          {2, 2, .7},    {1.3, 2.6, .5},    {5, 20, .45},      {20, 5, .93},   {25.25, 300.5, .11},
          {40, 2, .995}, {3000, 7000, .31}, {2e5, 8e5, .2008}, {1, 1e4, 3e-4}, {2, 1e6, 5e-6}};
}

double log_density(const Case& c, double x) {
  return (c.a - 1) * std::log(x) + (c.b - 1) * std::log1p(-x) + std::lgamma(c.a + c.b) -
         std::lgamma(c.a) - std::lgamma(c.b);
}

// The probability of (from, to) by Simpson's rule.
double probability(const Case& c, double from, double to) {
  constexpr int kPieces = 20000;
  const double h = (to - from) / kPieces;
  double sum = 0;
  for (int i = 0; i <= kPieces; ++i) {
    const double x = std::clamp(from + i * h, 1e-12, 1 - 1e-12);
    sum += (i == 0 || i == kPieces ? 1 : i % 2 == 1 ? 4 : 2) * std::exp(log_density(c, x));
  }
  return sum * h / 3;
}

// Nothing worth mentioning lies above.
double end_of(const Case& c) {
  const double mean = c.a / (c.a + c.b);
  return std::min(1., c.threshold + 30 * std::sqrt(mean * (1 - mean) / (c.a + c.b)));
}

double tail(const Case& c) { return probability(c, c.threshold, end_of(c)); }

TEST(BetaTail, IsBoundedFromAbove) {
  for (const Case& c : cases()) {
    const double bound = BetaTail(c.threshold).bound(c.a, c.b);
    EXPECT_GE(bound, tail(c) * (1 - 1e-6)) << c.a << " " << c.b;
    EXPECT_LE(bound, 4 * tail(c)) << c.a << " " << c.b;
  }
}

TEST(BetaTail, IsBoundedByItselfWhereTheDensityIsExponential) {
  EXPECT_NEAR(BetaTail(.75).bound(1, 1), .25, 1e-14);  // the uniform distribution
}

TEST(BetaTail, HasTheBoundThatItsFormulaGives) {
  for (const Case& c : cases()) {
    const double slope = (c.b - 1) / (1 - c.threshold) - (c.a - 1) / c.threshold;
    if (slope == 0) continue;
    const double expected =
        std::exp(log_density(c, c.threshold)) * -std::expm1(-slope * (1 - c.threshold)) / slope;
    EXPECT_NEAR(BetaTail(c.threshold).bound(c.a, c.b) / expected, 1, 1e-7) << c.a << " " << c.b;
  }
}

TEST(BetaTail, IsEstimatedRoughly) {
  for (const double z : {-3., -1.5, -.5, 0., .5, 1.5}) {
    const Case c{200, 300, .4 + z * .0219};
    const double estimate = BetaTail(c.threshold).estimate(c.a, c.b);
    EXPECT_NEAR(estimate, tail(c), .06) << z;
  }
}

TEST(BetaTail, IsUnboundedFarBelowTheModeAndForCountsBeyondPrecision) {
  EXPECT_GT(BetaTail(.1).bound(5000, 1000), 1);
  EXPECT_GT(BetaTail(.9).bound(1e15, 1e15), 1);
  EXPECT_EQ(BetaTail(.9).estimate(1e15, 1e15), 0);
  EXPECT_EQ(BetaTail(.1).estimate(1e15, 1e15), 1);
}

// Proposed with probability G and kept as draw() says, x is above y with the probability that
// Beta(a, b) gives it.
TEST(BetaTail, HasDrawsOfItsDistribution) {
  constexpr int kDraws = 40000;
  for (const Case& c : cases()) {
    const BetaTail beta(c.threshold);
    std::vector<double> kept;
    for (std::uint64_t i = 0; i < kDraws; ++i) {
      CounterRng rng(subkey(11, i));
      const double x = beta.draw(c.a, c.b, rng);
      if (x >= 0) kept.push_back(x);
      ASSERT_TRUE(x == -1 || (x >= c.threshold && x <= 1));
    }
    const double all = tail(c);
    const double rate = all / beta.bound(c.a, c.b);
    const double acceptance = static_cast<double>(kept.size()) / kDraws;
    EXPECT_NEAR(acceptance, rate, 4 * std::sqrt(rate * (1 - rate) / kDraws) + 1e-6) << c.a;
    // Kolmogorov's distance at the nine inner deciles; 1.95 / sqrt(n) is exceeded once in 1,000.
    std::sort(kept.begin(), kept.end());
    for (std::size_t decile = 1; decile < 10; ++decile) {
      const double x = kept[kept.size() * decile / 10];
      EXPECT_NEAR(probability(c, c.threshold, x) / all, static_cast<double>(decile) / 10,
                  1.95 / std::sqrt(static_cast<double>(kept.size())))
          << c.a << " " << c.b;
    }
  }
}

}  // namespace
}  // namespace dcmrank
