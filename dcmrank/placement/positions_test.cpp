#include "dcmrank/placement/positions.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace dcmrank {
namespace {

// Counts whose posterior means are .2, .6, .4 and, at the last position, nothing.
const std::vector<TerminationCounts> kCounts{{8, 1}, {8, 5}, {8, 3}, {0, 0}};

PositionBelief belief(const PositionKnowledge& knowledge) {
  PositionBelief result;
  believe(knowledge, kCounts, result);
  return result;
}

void expect_terminations(const PositionBelief& b, const std::vector<double>& expected) {
  ASSERT_EQ(b.terminations.size(), expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_NEAR(b.terminations[k], expected[k], 1e-12) << k;
  }
}

TEST(Belief, WithoutAnOrderIsThatOfTheClicks) {
  const PositionBelief b = belief({});
  expect_terminations(b, {.2, .6, .4, .2 * std::sqrt(.2 / .6)});
  EXPECT_EQ(b.order, (PositionOrder{1, 2, 0, 3}));
}

TEST(Belief, TakesTheLastTerminationFromTheUser) {
  const PositionBelief b = belief({.order = {}, .terminations = {}, .last = .5});
  expect_terminations(b, {.2, .6, .4, .5});
  EXPECT_EQ(b.order, (PositionOrder{1, 3, 2, 0}));
}

TEST(Belief, SortsWhatWasLearnedIntoTheKnownOrder) {
  const auto ordered = [](PositionOrder order) {
    return belief({.order = std::move(order), .terminations = {}, .last = {}});
  };
  expect_terminations(ordered({0, 1, 2, 3}), {.6, .4, .2, .2 * std::sqrt(.2 / .6)});
  expect_terminations(ordered({3, 2, 1, 0}), {.2, .4, .6, .6});
  expect_terminations(ordered({2, 3, 0, 1}), {.4, .2, .6, .5});
  EXPECT_EQ(ordered({2, 3, 0, 1}).order, (PositionOrder{2, 3, 0, 1}));
}

TEST(Belief, GuessesTheLastBelowTheOthersEvenWhereTheyAreAlike) {
  PositionBelief b;
  believe({}, std::vector<TerminationCounts>(3, {8, 3}), b);
  EXPECT_NEAR(b.terminations[2], .85 * .4, 1e-12);
  believe({}, std::vector<TerminationCounts>(2, {8, 3}), b);
  EXPECT_NEAR(b.terminations[1], .5 * .4, 1e-12);
}

TEST(Belief, OfKnownTerminationsIsThatAndTheirOrder) {
  const PositionBelief b = belief({.order = {}, .terminations = {.1, 0, 1, .5}, .last = {}});
  expect_terminations(b, {.1, 0, 1, .5});
  EXPECT_EQ(b.order, (PositionOrder{2, 3, 0, 1}));
}

TEST(Belief, BeforeAnyClickIsTopDown) {
  PositionBelief b;
  believe({}, std::vector<TerminationCounts>(3), b);
  EXPECT_EQ(b.order, (PositionOrder{0, 1, 2}));
  believe({}, std::vector<TerminationCounts>(1), b);
  EXPECT_EQ(b.order, PositionOrder{0});
}

TEST(Belief, IsKeptAwayFromZeroAndOne) {
  PositionBelief b;
  believe({}, std::vector<TerminationCounts>{{1e6, 1e6}, {1e6, 0}, {0, 0}}, b);
  EXPECT_EQ(b.terminations[0], .99);
  EXPECT_EQ(b.terminations[1], .01);
}

}  // namespace
}  // namespace dcmrank
