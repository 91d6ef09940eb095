#include "dcmrank/model/dcm.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "dcmrank/base/error.h"
#include "dcmrank/random/rng.h"

namespace dcmrank {
namespace {

Dcm random_problem(Rng& rng, std::size_t items, std::size_t positions) {
  Dcm dcm;
  for (std::size_t e = 0; e < items; ++e) dcm.attraction.push_back(rng.uniform());
  for (std::size_t k = 0; k < positions; ++k) dcm.termination.push_back(rng.uniform());
  return dcm;
}

// The message of the InputError that check() throws, or "" where it throws none.
std::string refusal(const Dcm& dcm) {
  try {
    check(dcm);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

// The probability of being satisfied, by walking down the list as Sec. 2 tells it.
double satisfied_by_walking(const Dcm& dcm, const std::vector<Item>& list, std::size_t k = 0) {
  if (k == list.size()) return 0;
  const double w = dcm.attraction[list[k]];
  const double v = dcm.termination[k];
  return w * v + (1 - w * v) * satisfied_by_walking(dcm, list, k + 1);
}

TEST(ExpectedReward, IsTheProbabilityOfBeingSatisfied) {
  Rng rng(1);
  for (int i = 0; i < 100; ++i) {
    const Dcm dcm = random_problem(rng, 6, 4);
    const std::vector<Item> list{5, 0, 3, 2};
    EXPECT_NEAR(expected_reward(dcm, list), satisfied_by_walking(dcm, list), 1e-14);
  }
}

TEST(OptimalList, IsBetterThanAllOtherLists) {
  Rng rng(2);
  for (int i = 0; i < 50; ++i) {
    const Dcm dcm = random_problem(rng, 5, 3);
    const double best = expected_reward(dcm, optimal_list(dcm));
    std::vector<Item> all(5);
    std::iota(all.begin(), all.end(), Item{0});
    double found = 0;
    do {
      const std::vector<Item> list(all.begin(), all.begin() + 3);
      found = std::max(found, expected_reward(dcm, list));
    } while (std::next_permutation(all.begin(), all.end()));
    EXPECT_DOUBLE_EQ(best, found);
  }
}

TEST(OptimalList, PutsTheMostAttractiveItemAtTheMostTerminatingPosition) {
  EXPECT_EQ(optimal_list({{.1, .9, .5, .7}, {.2, .6, .4}}), (std::vector<Item>{2, 1, 3}));
}

TEST(LowerBoundClass, HasKItemsOfAttractionPAndTheRestAGapBelow) {
  const Dcm dcm = make_dcm({.items = 5, .positions = 2, .p = .5, .gap = .25, .gamma = .8});
  EXPECT_EQ(dcm.attraction, (std::vector<double>{.5, .5, .25, .25, .25}));
  EXPECT_EQ(dcm.termination, (std::vector<double>{.8, .8}));
}

TEST(LowerBoundClass, RefusesAGapAboveP) {
  EXPECT_THROW(make_dcm({.items = 5, .positions = 2, .p = .2, .gap = .3, .gamma = .8}), InputError);
}

TEST(Check, AcceptsTheBoundsOfProbability) { EXPECT_EQ(refusal({{0, 1, .5}, {0, 1}}), ""); }

TEST(Check, NamesTheEntryAtFault) {
  EXPECT_EQ(refusal({{.1, 1.5, .2}, {.5}}), "attraction[1] is 1.5, not a probability in [0, 1]");
  EXPECT_EQ(refusal({{.1, .5, .2}, {.5, -.1}}),
            "termination[1] is -0.1, not a probability in [0, 1]");
  EXPECT_EQ(refusal({{.1, std::nan(""), .2}, {.5}}),
            "attraction[1] is nan, not a probability in [0, 1]");
}

TEST(Check, RefusesSizesThatAreNoProblem) {
  EXPECT_EQ(refusal({{}, {.5}}), "attraction is empty");
  EXPECT_EQ(refusal({{.5, .4}, {}}), "termination is empty");
  EXPECT_EQ(refusal({{.5, .4}, {.5, .4, .3}}), "K is 3 and L is 2: K must not exceed L");
  EXPECT_EQ(refusal({{.5}, {.5}}), "L is 1: with fewer than 2 items there is nothing to rank");
}

}  // namespace
}  // namespace dcmrank
