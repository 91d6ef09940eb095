#include "dcmrank/bounds/bounds.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "dcmrank/index/kl_ucb.h"
#include "dcmrank/model/paper_problems.h"
#include "dcmrank/random/rng.h"

namespace dcmrank {
namespace {

const Dcm kFig2 = make_dcm(fig2_problem());

// The r in (a, b) with d(r, a) = back, by bisection.
double between(double a, double b, double back) {
  double low = a;
  double high = b;
  for (int step = 0; step < 200; ++step) {
    const double middle = (low + high) / 2;
    (bernoulli_kl(middle, a) < back ? low : high) = middle;
  }
  return low;
}

TEST(Alpha, IsTheProbabilityThatNoneOfTheOthersAttracts) {
  EXPECT_DOUBLE_EQ(alpha({{.2, .6, .3}, {.5, .1}}), .4);
  EXPECT_DOUBLE_EQ(alpha(kFig2), std::pow(.8, 3));
  EXPECT_EQ(alpha({{1, .5}, {.5, .1}}), 0);
}

TEST(DeviationConstants, SolveTheirEquations) {
  Rng rng(1);
  for (int i = 0; i < 2000; ++i) {
    const double b = 0.001 + 0.998 * rng.uniform();
    const double a = b * rng.uniform();
    const double epsilon = std::pow(10, -3 + 5 * rng.uniform());
    const auto [c2, beta] = deviation_constants(a, b, epsilon);
    // From C2, d(r, a); the r that has it must satisfy d(r, b) = d(a, b) / (1 + epsilon).
    const double back = -std::log1p(-1 / c2);
    EXPECT_NEAR(beta * bernoulli_kl(a, b) / (1 + epsilon), back, 1e-9 * (1 + back));
    const double r = between(a, b, back);
    EXPECT_NEAR(bernoulli_kl(r, b) * (1 + epsilon), bernoulli_kl(a, b),
                1e-6 * bernoulli_kl(a, b) + 1e-12);
  }
}

TEST(Theorem2, IsThatOfTheNotesOnTheBiasedInstance) {
  const Bounds result = bounds(biased_problem(), 400000);
  EXPECT_EQ(std::round(result.theorem2), 1339);
  EXPECT_FALSE(result.theorem1.has_value());
}

TEST(Theorem2, IsMinimalInEpsilon) {
  const Dcm dcm = biased_problem();
  const Bounds result = bounds(dcm, 400000);
  for (double factor = 0.01; factor < 100; factor *= 1.1) {
    EXPECT_GE(theorem2(dcm, 400000, result.epsilon * factor), result.theorem2 * (1 - 1e-9));
  }
}

TEST(Theorem2, ReducesToTheoremOneWhereTerminationsAreEqual) {
  for (const double epsilon : {.1, 1.0, 10.0}) {
    EXPECT_DOUBLE_EQ(theorem2(kFig2, 100000, epsilon), *theorem1(kFig2, 100000, epsilon));
  }
}

TEST(Theorem2, DoesNotDependOnTheOrderOfItemsAndPositions) {
  EXPECT_DOUBLE_EQ(theorem2({{.4, .6, .5}, {.1, .5}}, 1000, 1),
                   theorem2(biased_problem(), 1000, 1));
}

TEST(Theorem2, GrowsWithItemsAndStepsAndShrinksWithTheGap) {
  const auto bound = [](std::size_t items, double gap, std::uint64_t steps) {
    return bounds(make_dcm({.items = items, .positions = 4, .p = .2, .gap = gap, .gamma = .8}),
                  steps)
        .theorem2;
  };
  EXPECT_LT(bound(16, .15, 100000), bound(32, .15, 100000));
  EXPECT_LT(bound(16, .15, 100000), bound(16, .15, 1000000));
  EXPECT_LT(bound(16, .15, 100000), bound(16, .075, 100000));
}

TEST(Theorem2, IsTheWeightedSumOfPropositionOne) {
  const Dcm dcm{{.6, .5, .4, .2}, {.5, .1}};
  EXPECT_DOUBLE_EQ(theorem2(dcm, 5000, 1), ((.5 - .1) * proposition1(dcm, 1, 5000, 1) +
                                            .1 * proposition1(dcm, 2, 5000, 1)) /
                                               alpha(dcm));
}

// By hand: one suboptimal item, i = 1.
TEST(Proposition1, IsTheFormulaOfThePaper) {
  const Dcm dcm{{.6, .5}, {.5}};
  const double n = 1000;
  const double epsilon = 2;
  const double budget = std::log(n) + 3 * std::log(std::log(n));
  const auto [c2, beta] = deviation_constants(.5, .6, epsilon);
  const double first = 3 * .1 * (1 + std::log(10)) / bernoulli_kl(.5, .6) * budget;
  const double constant = 2 * c2 / std::pow(n, beta) + 7 * std::log(std::log(n));
  EXPECT_NEAR(proposition1(dcm, 1, 1000, epsilon), first + constant, 1e-9);
}

// Items that tie with the last of the best still take the place of the first: dcmKL-UCB has a
// regret of about 990 here, where leaving out all that ties gave a bound of 43.
TEST(Proposition1, CountsWhatTiesWithTheLastOfTheBestAgainstTheBetterOnes) {
  Dcm dcm{std::vector<double>(100, .5), {.5, .5}};
  dcm.attraction[0] = .6;
  const double n = 100'000;
  const auto [c2, beta] = deviation_constants(.5, .6, 1);
  const double budget = std::log(n) + 3 * std::log(std::log(n));
  const double one = 2 * .1 * (1 + std::log(10)) / bernoulli_kl(.5, .6) * budget;
  const double constant = 2 * 100 * c2 / std::pow(n, beta) + 14 * std::log(std::log(n));
  EXPECT_NEAR(proposition1(dcm, 2, 100'000, 1), 98 * one + constant, 1e-6);
  EXPECT_GT(*bounds(dcm, 100'000).theorem1, 990);
}

TEST(Bounds, AddNothingForItemsWithoutAGap) {
  EXPECT_EQ(theorem2({{.5, .5, .5}, {.5, .1}}, 1, 1), 0);
  EXPECT_TRUE(std::isfinite(bounds({{.5, .5, .4}, {.5, .1}}, 1000).theorem2));
}

// No list differs from another in its reward: the regret of every policy is 0.
TEST(Bounds, AreZeroWhereNobodyIsEverSatisfied) {
  for (const Dcm& dcm : {Dcm{{1, .5}, {0, 0}}, Dcm{{1, .5, .4}, {0, 0}}, Dcm{{.6, .5}, {0, 0}}}) {
    const Bounds result = bounds(dcm, 1000);
    EXPECT_EQ(result.theorem1, 0);
    EXPECT_EQ(result.theorem2, 0);
  }
}

TEST(Bounds, AreZeroWhereAllItemsAreAlike) {
  for (const double w : {0.0, .5, 1.0}) {
    const Bounds result = bounds({{w, w, w}, {.5, .5}}, 1000);
    EXPECT_EQ(result.theorem1, 0);
    EXPECT_EQ(result.theorem2, 0);
    EXPECT_EQ(result.proposition1, (std::vector<double>{0, 0}));
    EXPECT_EQ(bounds({{w, w, w}, {.5, .1}}, 1000).theorem2, 0);
  }
}

TEST(Bounds, AreZeroWhereEveryListShowsEveryItemAndPositionsAreAlike) {
  for (const Dcm& dcm : {Dcm{{1, .5}, {.5, .5}}, Dcm{{.6, .5, .4}, {.3, .3, .3}}}) {
    const Bounds result = bounds(dcm, 1000);
    EXPECT_EQ(result.theorem1, 0);
    EXPECT_EQ(result.theorem2, 0);
    EXPECT_GT(result.proposition1.front(), 0);
    EXPECT_EQ(result.proposition1.back(), 0);
  }
  EXPECT_GT(bounds({{.6, .5}, {.5, .1}}, 1000).theorem2, 0);  // their order counts
}

// Only R_2 enters Theorem 2 here, and it is 0; an epsilon of exp(-12) would blow up R_1.
TEST(Bounds, TakeAnEpsilonOfOneWhereItMakesNoDifference) {
  const Bounds result = bounds({{.6, .5}, {.5, .5}}, 100'000);
  EXPECT_EQ(result.epsilon, 1);
  EXPECT_LT(result.proposition1.front(), 1e4);
}

TEST(Bounds, AreInfiniteWhereAnItemAlwaysAttracts) {
  EXPECT_TRUE(std::isinf(bounds({{1, .5, .4}, {.5, .1}}, 1000).theorem2));
}

TEST(Bounds, AreInfiniteThereFromTheFirstStep) {
  const Bounds b = bounds({{1, 1, .85, .85}, {.5, .5}}, 1);
  EXPECT_TRUE(b.lists_differ);
  EXPECT_EQ(b.theorem2, std::numeric_limits<double>::infinity());
  EXPECT_EQ(b.theorem1, std::numeric_limits<double>::infinity());
  EXPECT_FALSE(bounds({{.5, .5, .5}, {.5, .5}}, 1).lists_differ);
}

TEST(Bounds, AreFiniteFromTheFirstStep) {
  for (const std::uint64_t few : {1U, 2U}) {
    EXPECT_EQ(bounds(kFig2, few).theorem2, bounds(kFig2, 3).theorem2);
    EXPECT_EQ(bounds(kFig2, few).theorem1, bounds(kFig2, 3).theorem1);
  }
  EXPECT_GT(bounds(kFig2, 3).theorem2, 3);
}

TEST(Theorem3, IsTheFormulaOfThePaper) {
  EXPECT_DOUBLE_EQ(*theorem3(kFig2), .5 * std::pow(.8, 3) * 12 * .15 / bernoulli_kl(.05, .2));
}

TEST(Theorem3, IsAbsentOutsideTheLowerBoundClass) {
  EXPECT_FALSE(theorem3({{.2, .2, .1, .1}, {.5, .4}}).has_value());  // unequal terminations
  EXPECT_FALSE(theorem3({{.2, .3, .1, .1}, {.5, .5}}).has_value());  // unequal optimal items
  EXPECT_FALSE(theorem3({{.2, .2, .1, .0}, {.5, .5}}).has_value());  // unequal suboptimal ones
  EXPECT_FALSE(theorem3({{.2, .2, .2, .1}, {.5, .5}}).has_value());  // three optimal items, K = 2
  EXPECT_FALSE(theorem3({{.2, .2}, {.5, .5}}).has_value());          // no suboptimal item
  EXPECT_TRUE(theorem3({{.1, .2, .1, .2}, {.5, .5}}).has_value());   // in any order
}

}  // namespace
}  // namespace dcmrank
