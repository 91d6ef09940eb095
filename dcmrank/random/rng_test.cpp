#include "dcmrank/random/rng.h"

#include <array>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

namespace dcmrank {
namespace {

TEST(Rng, GivesTheSameDrawsForTheSameKeyAndOthersForAnother) {
  Rng a(1);
  Rng b(1);
  Rng c(2);
  EXPECT_EQ(a(), b());
  EXPECT_EQ(a, b);
  EXPECT_NE(a(), c());
}

// Pinned: a change of the generator changes every published figure and must be deliberate.
TEST(Rng, DrawsTheNumbersItDrewWhenItWasReleased) {
  Rng rng(12345);
  EXPECT_EQ(rng(), 10201931350592234856U);
  EXPECT_EQ(rng(), 3780764549115216544U);
}

// The first two outputs of SplitMix64 from seed 1234567, as published with it.
TEST(Subkey, IsTheSequenceOfSplitMix64) {
  EXPECT_EQ(subkey(1234567, 0), 6457827717110365317U);
  EXPECT_EQ(subkey(1234567, 1), 3203168211198807973U);
}

TEST(Rng, DrawsBelowANumberUniformly) {
  Rng rng(3);
  std::array<int, 7> seen{};
  constexpr int kDraws = 70000;
  for (int i = 0; i < kDraws; ++i) ++seen.at(rng.below(7));
  double chi_square = 0;
  for (const int n : seen) chi_square += std::pow(n - kDraws / 7.0, 2) / (kDraws / 7.0);
  EXPECT_LT(chi_square, 22.5);  // 99.9 % of chi-square with 6 degrees of freedom
}

TEST(Rng, DrawsUniformNumbersOfTheRightMeanAndVariance) {
  Rng rng(4);
  double sum = 0;
  double squares = 0;
  constexpr int kDraws = 100000;
  for (int i = 0; i < kDraws; ++i) {
    const double u = rng.uniform();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    sum += u;
    squares += u * u;
  }
  EXPECT_NEAR(sum / kDraws, 0.5, 4 * std::sqrt(1.0 / 12 / kDraws));
  EXPECT_NEAR(squares / kDraws, 1.0 / 3, 0.004);
}

TEST(Rng, HasAnotherStreamForEveryPurposeSeedAndRun) {
  std::set<std::uint64_t> keys;
  for (const Stream purpose : {Stream::kUsers, Stream::kPolicy}) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      for (std::uint64_t run = 0; run < 50; ++run) keys.insert(stream_key(purpose, seed, run));
    }
  }
  EXPECT_EQ(keys.size(), 2U * 50 * 50);
}

}  // namespace
}  // namespace dcmrank
