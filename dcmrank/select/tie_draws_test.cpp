#include "dcmrank/select/tie_draws.h"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

namespace dcmrank {
namespace {

TEST(TieDraws, AreUniform) {
  std::array<int, 5> seen{};
  constexpr int kDraws = 100000;
  for (std::uint64_t key = 0; key < kDraws / 2; ++key) {
    TieDraws draws(mix64(key));
    ++seen.at(draws.below(seen.size()));
    ++seen.at(draws.below(seen.size()));
  }
  for (const int count : seen) EXPECT_NEAR(count, kDraws / 5, 5 * std::sqrt(kDraws * .16));
}

TEST(TieDraws, CostNothingWhereThereIsNoTie) {
  TieDraws with(1);
  TieDraws without(1);
  EXPECT_EQ(with.below(1), 0U);
  EXPECT_EQ(with.below(1000), without.below(1000));
}

TEST(TieDraws, AreTheSameForTheSameKey) {
  TieDraws one(7);
  TieDraws other(7);
  for (std::uint64_t m = 2; m < 100; ++m) EXPECT_EQ(one.below(m), other.below(m));
}

}  // namespace
}  // namespace dcmrank
