#include "dcmrank/select/blocked_sums.h"

#include <array>
#include <vector>

#include <gtest/gtest.h>

#include "dcmrank/random/rng.h"

namespace dcmrank {
namespace {

// Whole numbers, whose sums are exact.
TEST(BlockedSums, AreFoundAsByAddingUp) {
  Rng rng(1);
  for (const std::size_t size : {1U, 5U, 16U, 17U, 100U, 1000U}) {
    BlockedSums sums(size);
    sums.set_all([&](std::size_t) { return static_cast<double>(rng.below(3)); });
    for (int i = 0; i < 300; ++i) {
      sums.set(rng.below(size), static_cast<double>(rng.below(4)));
      double total = 0;
      for (std::size_t n = 0; n < size; ++n) total += sums[n];
      ASSERT_EQ(sums.sum(), total);
      if (total == 0) continue;
      std::array<double, 3> masses{};
      std::array<std::size_t, 3> at{};
      for (double& mass : masses) mass = rng.uniform() * total;
      const auto wanted = masses;
      sums.find(masses, at);
      for (std::size_t m = 0; m < at.size(); ++m) {
        std::size_t n = 0;
        for (double sum = sums[0]; sum <= wanted[m]; sum += sums[n]) ++n;
        ASSERT_EQ(at[m], n);
      }
    }
  }
}

TEST(BlockedSums, AreFoundByTheirShare) {
  BlockedSums sums(50);
  sums.set_all([](std::size_t n) { return n % 7 == 0 ? .1 * static_cast<double>(n) : 0.; });
  Rng rng(2);
  std::vector<double> times(50);
  constexpr int kDraws = 100000;
  for (int i = 0; i < kDraws; ++i) {
    double mass = rng.uniform() * sums.sum();
    std::size_t at = 0;
    sums.find({&mass, 1}, {&at, 1});
    times[at] += 1. / kDraws;
  }
  for (std::size_t n = 0; n < 50; ++n) EXPECT_NEAR(times[n], sums[n] / sums.sum(), .006) << n;
}

}  // namespace
}  // namespace dcmrank
