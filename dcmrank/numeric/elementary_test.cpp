#include "dcmrank/numeric/elementary.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "dcmrank/random/rng.h"

namespace dcmrank {
namespace {

// How far apart, in units of the last place of the exact value.
double ulps(double value, long double exact) {
  const double rounded = std::abs(static_cast<double>(exact));
  const double unit = std::nextafter(rounded, std::numeric_limits<double>::infinity()) - rounded;
  return static_cast<double>(std::abs(value - exact) / unit);
}

// Of all sizes from 1e-26 to 1e26, by their logarithm.
double any_size(Rng& rng) { return std::exp(60 * (2 * rng.uniform() - 1)); }

TEST(Elementary, LogIsExactToTwoUnits) {
  Rng rng(1);
  for (int i = 0; i < 300000; ++i) {
    for (const double x : {any_size(rng), 0.5 + rng.uniform(), 1 + 1e-9 * (rng.uniform() - .5)}) {
      ASSERT_LT(ulps(same_log(x), logl(x)), 2) << x;
    }
  }
}

TEST(Elementary, Log1pIsExactToTwoUnits) {
  Rng rng(2);
  for (int i = 0; i < 300000; ++i) {
    const double size = any_size(rng);
    for (const double x :
         {size, -size / (1 + size), rng.uniform() - .5, 1e-9 * (rng.uniform() - .5)}) {
      if (x <= -1) continue;
      ASSERT_LT(ulps(same_log1p(x), log1pl(x)), 2) << x;
    }
  }
}

TEST(Elementary, ExpAndExpm1AreExactToTwoUnits) {
  Rng rng(3);
  for (int i = 0; i < 300000; ++i) {
    for (const double x : {1390 * (rng.uniform() - .5), 2 * (rng.uniform() - .5),
                           -std::exp(-50 * rng.uniform()), std::exp(-50 * rng.uniform())}) {
      ASSERT_LT(ulps(same_exp(x), expl(x)), 2) << x;
      ASSERT_LT(ulps(same_expm1(x), expm1l(x)), 2) << x;
    }
  }
}

TEST(Elementary, HasTheExactValuesAtTheEnds) {
  EXPECT_EQ(same_log(1), 0);
  EXPECT_EQ(same_log1p(0), 0);
  EXPECT_EQ(same_exp(0), 1);
  EXPECT_EQ(same_expm1(0), 0);
  EXPECT_EQ(same_expm1(-1e300), -1);
  EXPECT_NEAR(same_log(std::numeric_limits<double>::min()), -708.396418532264, 1e-12);
}

}  // namespace
}  // namespace dcmrank
