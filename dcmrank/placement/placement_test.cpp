#include "dcmrank/placement/placement.h"

#include <array>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "dcmrank/model/dcm.h"

namespace dcmrank {
namespace {

std::vector<Item> placed(const std::vector<double>& scores, const PositionOrder& order,
                         std::uint64_t key = 1) {
  std::vector<Scored> scored;
  for (Item e = 0; e < scores.size(); ++e) scored.push_back({scores[e], e});
  std::vector<Item> list;
  place(scored, order, TieBreak(key), list);
  return list;
}

TEST(Placement, PutsTheBestItemAtTheMostTerminatingPosition) {
  EXPECT_EQ(placed({.1, .9, .5, .7}, {0, 1, 2}), (std::vector<Item>{1, 3, 2}));
  EXPECT_EQ(placed({.1, .9, .5, .7}, {2, 0, 1}), (std::vector<Item>{3, 2, 1}));
  EXPECT_EQ(placed({.1, .9, .5}, {1, 0, 2}), (std::vector<Item>{2, 1, 0}));
}

TEST(Placement, IsTheArgmaxOfAlgorithmOne) {
  Rng rng(1);
  for (int i = 0; i < 100; ++i) {
    Dcm dcm;
    for (int e = 0; e < 8; ++e) dcm.attraction.push_back(rng.uniform());
    for (int k = 0; k < 3; ++k) dcm.termination.push_back(rng.uniform());
    EXPECT_EQ(placed(dcm.attraction, decreasing_order(dcm.termination)), optimal_list(dcm));
  }
}

TEST(Placement, BreaksTiesUniformlyAtRandom) {
  std::array<int, 6> first{};
  constexpr int kRounds = 60000;
  Rng rng(2);
  for (int i = 0; i < kRounds; ++i) {
    const auto list = placed({.5, .5, .5, .5, .5, .5}, {0, 1}, rng());
    ++first.at(list[0]);
    ASSERT_NE(list[0], list[1]);
  }
  double chi_square = 0;
  for (const int n : first) chi_square += std::pow(n - kRounds / 6.0, 2) / (kRounds / 6.0);
  EXPECT_LT(chi_square, 20.5);  // 99.9 % of chi-square with 5 degrees of freedom
}

}  // namespace
}  // namespace dcmrank
