#include "dcmrank/numeric/log_beta.h"

#include <cmath>

#include <gtest/gtest.h>

namespace dcmrank {
namespace {

double tolerance(double a, double b) { return 1e-13 + 1e-15 * (a + b); }

TEST(LogBeta, AgreesWithGammaFunctionsOfHigherPrecision) {
  for (double a = 1; a < 1e7; a *= 1.13) {
    for (double b = 1; b < 1e7; b *= 1.17) {
      const long double exact = lgammal(a) + lgammal(b) - lgammal(static_cast<long double>(a) + b);
      ASSERT_NEAR(log_beta(a, b), static_cast<double>(exact), tolerance(a, b)) << a << " " << b;
    }
  }
}

TEST(LogBeta, HasTheExactValuesOfSmallWholeNumbers) {
  EXPECT_NEAR(log_beta(1, 1), 0, 1e-13);
  EXPECT_NEAR(log_beta(1, 5), -std::log(5), 1e-13);
  EXPECT_NEAR(log_beta(2, 3), -std::log(12), 1e-13);
  EXPECT_NEAR(log_beta(4, 4), -std::log(140), 1e-13);
}

// B(a, b) = B(a + 1, b) + B(a, b + 1), where lgammal itself would have lost its digits.
TEST(LogBeta, ObeysItsRecursionForManyObservations) {
  for (const double a : {1.5, 30.25, 1e5, 2e8}) {
    for (const double b : {1., 700.75, 3e7}) {
      const double whole = std::exp(log_beta(a + 1, b) - log_beta(a, b)) +
                           std::exp(log_beta(a, b + 1) - log_beta(a, b));
      ASSERT_NEAR(whole, 1, 4 * tolerance(a, b)) << a << " " << b;
    }
  }
}

TEST(LogBeta, IsSymmetric) {
  for (const double a : {1., 2.5, 9., 40.}) {
    for (const double b : {1., 3.25, 10., 1e6}) {
      ASSERT_NEAR(log_beta(a, b), log_beta(b, a), tolerance(a, b));
    }
  }
}

}  // namespace
}  // namespace dcmrank
