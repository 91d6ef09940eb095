#include "dcmrank/numeric/summary.h"

#include <cmath>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "dcmrank/random/rng.h"

namespace dcmrank {
namespace {

TEST(Summary, IsTheMeanAndItsStandardError) {
  const Summary summary = summarise(std::vector<double>{1, 2, 3, 4});
  EXPECT_DOUBLE_EQ(summary.mean, 2.5);
  EXPECT_DOUBLE_EQ(summary.stderr_, std::sqrt(5.0 / 3 / 4));
}

TEST(Summary, HasNoErrorForOneValue) {
  EXPECT_EQ(summarise(std::vector<double>{3}).mean, 3);
  EXPECT_FALSE(summarise(std::vector<double>{3}).has_error());
  EXPECT_EQ(summarise({}).mean, 0);
}

TEST(Text, ShowsAValueWithItsError) {
  EXPECT_EQ(text({168.93, 2.71}), "168.9 ± 2.7");
  EXPECT_EQ(text({3.301, .042}), "3.30 ± 0.04");
  EXPECT_EQ(text({1.0812, .0007}), "1.081 ± 0.001");
  EXPECT_EQ(text(summarise(std::vector<double>{3})), "3.00");
}

TEST(PairedDifference, IsThatOfTheRunsAndNotOfTwoMeans) {
  const std::vector<double> a{11, 22, 33};
  const std::vector<double> b{10, 20, 30};
  const Summary difference = paired_difference(a, b);
  EXPECT_DOUBLE_EQ(difference.mean, 2);
  EXPECT_DOUBLE_EQ(difference.stderr_, std::sqrt(1.0 / 3));
  EXPECT_FALSE(paired_difference(std::span(a).first(1), std::span(b).first(1)).has_error());
}

TEST(PairedRatio, HasNoErrorWhereEveryRunHasTheSameRatio) {
  const Summary ratio = paired_ratio(std::vector<double>{3, 6, 30}, std::vector<double>{1, 2, 10});
  EXPECT_DOUBLE_EQ(ratio.mean, 3);
  EXPECT_NEAR(ratio.stderr_, 0, 1e-12);
}

// a = 3 b + noise: the spread of the ratio over many repetitions is what each of them reports.
TEST(PairedRatio, HasTheErrorThatRepetitionsShow) {
  Rng rng(1);
  std::vector<double> ratios;
  double reported = 0;
  for (int i = 0; i < 2000; ++i) {
    std::vector<double> a;
    std::vector<double> b;
    for (int r = 0; r < 20; ++r) {
      b.push_back(50 + 100 * rng.uniform());
      a.push_back(3 * b.back() + 60 * rng.uniform() - 30);
    }
    const Summary ratio = paired_ratio(a, b);
    ratios.push_back(ratio.mean);
    reported += ratio.stderr_ / 2000;
  }
  const Summary all = summarise(ratios);
  EXPECT_NEAR(all.mean, 3, 4 * all.stderr_);
  EXPECT_NEAR(reported, all.stderr_ * std::sqrt(2000.0), 0.1 * reported);
}

TEST(Jackknife, IsTheStandardErrorForAMean) {
  const std::vector<double> values{1, 2, 3, 7};
  const auto mean_without = [&](std::size_t skipped) {
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) sum += i == skipped ? 0 : values[i];
    return sum / (skipped < values.size() ? 3 : 4);
  };
  const Summary summary = jackknife(values.size(), mean_without);
  EXPECT_DOUBLE_EQ(summary.mean, summarise(values).mean);
  EXPECT_DOUBLE_EQ(summary.stderr_, summarise(values).stderr_);
}

TEST(Summary, HasTheDigitsThatItsErrorTells) {
  EXPECT_EQ(text_by_error({812.34, 45.2}), "812 ± 45");
  EXPECT_EQ(text_by_error({-7.168, 3.17}), "-7.2 ± 3.2");
  EXPECT_EQ(text_by_error({0.51234, 0.0123}), "0.512 ± 0.012");
  EXPECT_EQ(text_by_error({5, std::nan("")}), text({5, std::nan("")}));
  EXPECT_EQ(text_by_error({5, 0}), text({5, 0}));
}

}  // namespace
}  // namespace dcmrank
