#include "dcmrank/policy/counting.h"

#include <vector>

#include <gtest/gtest.h>

namespace dcmrank {
namespace {

// What the clicks on the list (3, 1, 0, 2) teach: observed and attracted, by position.
std::vector<Counts> taught(Counting counting, const std::vector<std::uint8_t>& clicks) {
  const std::vector<Item> list{3, 1, 0, 2};
  std::vector<Counts> counts(5);
  count(counting, SeenPage(list, clicks), counts);
  EXPECT_EQ(counts[4], Counts{});
  return {counts[3], counts[1], counts[0], counts[2]};
}

constexpr Counts kClick{1, 1};
constexpr Counts kSkip{1, 0};
constexpr Counts kNothing{0, 0};
using Lesson = std::vector<Counts>;

TEST(Counting, OfThePaperObservesEverythingUpToTheLastClick) {
  EXPECT_EQ(taught(Counting::kPrefix, {0, 1, 1, 0}), (Lesson{kSkip, kClick, kClick, kNothing}));
  EXPECT_EQ(taught(Counting::kPrefix, {1, 0, 0, 0}),
            (Lesson{kClick, kNothing, kNothing, kNothing}));
}

TEST(Counting, OfThePaperObservesAllWithoutAClick) {
  EXPECT_EQ(taught(Counting::kPrefix, {0, 0, 0, 0}), (Lesson{kSkip, kSkip, kSkip, kSkip}));
}

TEST(Counting, OfTheFirstClickObservesUpToIt) {
  EXPECT_EQ(taught(Counting::kFirstClick, {0, 1, 1, 0}),
            (Lesson{kSkip, kClick, kNothing, kNothing}));
  EXPECT_EQ(taught(Counting::kFirstClick, {0, 0, 0, 0}), (Lesson{kSkip, kSkip, kSkip, kSkip}));
}

TEST(Counting, OfTheLastClickTakesClicksAboveItForSkips) {
  EXPECT_EQ(taught(Counting::kLastClick, {1, 0, 1, 0}), (Lesson{kSkip, kSkip, kClick, kNothing}));
  EXPECT_EQ(taught(Counting::kLastClick, {0, 0, 0, 0}), (Lesson{kSkip, kSkip, kSkip, kSkip}));
}

TEST(Counting, ConsidersOnlyThePositionsOnTheScreen) {
  for (const Counting counting : {Counting::kPrefix, Counting::kFirstClick, Counting::kLastClick}) {
    EXPECT_EQ(taught(counting, {0, 0}), (Lesson{kSkip, kSkip, kNothing, kNothing}));
    EXPECT_EQ(taught(counting, {}), (Lesson{kNothing, kNothing, kNothing, kNothing}));
  }
}

}  // namespace
}  // namespace dcmrank
