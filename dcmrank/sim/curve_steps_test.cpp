#include "dcmrank/sim/curve_steps.h"

#include <algorithm>
#include <cstdint>

#include <gtest/gtest.h>

namespace dcmrank {
namespace {

TEST(CurveSteps, IncreaseFromTheFirstToTheLastStep) {
  for (const std::uint64_t n : {1ULL, 2ULL, 7ULL, 100ULL, 12345ULL, 1000000ULL}) {
    const auto steps = curve_steps(n);
    EXPECT_EQ(steps.front(), 1U);
    EXPECT_EQ(steps.back(), n);
    EXPECT_TRUE(std::is_sorted(steps.begin(), steps.end()));
    EXPECT_EQ(std::adjacent_find(steps.begin(), steps.end()), steps.end());
  }
}

TEST(CurveSteps, AreEvenAndLogarithmic) {
  const auto steps = curve_steps(100000);
  const auto has = [&](std::uint64_t s) {
    return std::binary_search(steps.begin(), steps.end(), s);
  };
  for (std::uint64_t s = 1000; s <= 100000; s += 1000) EXPECT_TRUE(has(s)) << s;
  for (const std::uint64_t s : {1ULL, 10ULL, 100ULL, 316ULL}) EXPECT_TRUE(has(s)) << s;
  EXPECT_LT(steps.size(), 220U);
}

}  // namespace
}  // namespace dcmrank
