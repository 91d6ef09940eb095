#include "dcmrank/random/beta.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>
#include <hwy/targets.h>

namespace dcmrank {
namespace {

constexpr int kBetaDraws = 100000;

std::vector<double> draws(double a, double b) {
  std::vector<double> values(kBetaDraws);
  for (int i = 0; i < kBetaDraws; ++i) {
    CounterRng rng(subkey(7, static_cast<std::uint64_t>(i)));
    values[static_cast<std::size_t>(i)] = sample_beta(a, b, rng);
  }
  return values;
}

struct Shapes {
  double a;
  double b;
};
class Beta : public testing::TestWithParam<Shapes> {};

TEST_P(Beta, HasItsMeanAndVariance) {
  const auto [a, b] = GetParam();
  const double mean = a / (a + b);
  const double variance = mean * (1 - mean) / (a + b + 1);
  double sum = 0;
  double squares = 0;
  for (const double x : draws(a, b)) {
    ASSERT_TRUE(x >= 0 && x <= 1);
    sum += x - mean;
    squares += (x - mean) * (x - mean);
  }
  EXPECT_NEAR(sum / kBetaDraws, 0, 4 * std::sqrt(variance / kBetaDraws));
  // The kurtosis of these is below 10, so the variance's own error is below 3 / sqrt(n) of it.
  EXPECT_NEAR(squares / kBetaDraws / variance, 1, 4 * 3 / std::sqrt(kBetaDraws));
}

INSTANTIATE_TEST_SUITE_P(Shapes, Beta,
                         testing::Values(Shapes{1, 1}, Shapes{1, 7.5}, Shapes{7.5, 1},
                                         Shapes{1.0000001, 1.5}, Shapes{1.3, 1.1}, Shapes{2, 2},
                                         Shapes{2, 40}, Shapes{40, 2}, Shapes{25.25, 300.5},
                                         Shapes{6e4, 4e4}, Shapes{2, 1e6}));

// The largest distance between the empirical and the true distribution function; below
// 1.95 / sqrt(n) with probability .999 (Kolmogorov).
double distance(std::vector<double> values, double (*distribution)(double)) {
  std::sort(values.begin(), values.end());
  double largest = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double truth = distribution(values[i]);
    const double n = static_cast<double>(values.size());
    largest = std::max({largest, std::abs(truth - static_cast<double>(i) / n),
                        std::abs(truth - static_cast<double>(i + 1) / n)});
  }
  return largest;
}

TEST(BetaDistribution, IsThatOfClosedForms) {
  const double most = 1.95 / std::sqrt(kBetaDraws);
  EXPECT_LT(distance(draws(1, 1), [](double x) { return x; }), most);
  EXPECT_LT(distance(draws(1, 3), [](double x) { return 1 - std::pow(1 - x, 3); }), most);
  EXPECT_LT(distance(draws(4, 1), [](double x) { return std::pow(x, 4); }), most);
  EXPECT_LT(distance(draws(2, 2), [](double x) { return x * x * (3 - 2 * x); }), most);
  EXPECT_LT(distance(draws(3, 2), [](double x) { return x * x * x * (4 - 3 * x); }), most);
  // I_x(1.5, 1.5), the semicircle.
  EXPECT_LT(distance(draws(1.5, 1.5),
                     [](double x) {
                       const double c = 2 * x - 1;
                       return .5 + (c * std::sqrt(1 - c * c) + std::asin(c)) / std::acos(-1);
                     }),
            most);
}

TEST(BetaDraw, IsAFunctionOfTheKey) {
  CounterRng one(3);
  CounterRng other(3);
  EXPECT_EQ(sample_beta(2.5, 4, one), sample_beta(2.5, 4, other));
  EXPECT_NE(sample_beta(2.5, 4, one), sample_beta(2.5, 4, one));
}

// Shapes of all kinds, also those with closed forms, in batches of every size.
TEST(BetaBatch, HasTheBitsOfSingleDrawsWithEveryInstructionSet) {
  for (const auto target : hwy::SupportedAndGeneratedTargets()) {
    hwy::GetChosenTarget().Update(target);
    Rng rng(1);
    BetaBatch batch;
    for (int n = 0; n < 1000; ++n) {
      batch.size = 1 + rng.below(BetaBatch::kRoom);
      for (std::size_t i = 0; i < batch.size; ++i) {
        batch.a[i] = 1 + (rng.below(4) == 0 ? 0 : std::exp(10 * rng.uniform() - 3));
        batch.b[i] = 1 + (rng.below(4) == 0 ? 0 : std::exp(10 * rng.uniform() - 3));
        batch.key[i] = rng();
      }
      sample_betas(batch);
      for (std::size_t i = 0; i < batch.size; ++i) {
        CounterRng single(batch.key[i]);
        ASSERT_EQ(batch.draw[i], sample_beta(batch.a[i], batch.b[i], single))
            << hwy::TargetName(target);
      }
    }
  }
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace
}  // namespace dcmrank
