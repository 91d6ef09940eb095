#include "dcmrank/policy/exp3_bandit.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace dcmrank {
namespace {

TEST(SumTree, KeepsTheSumsOfItsHalves) {
  Rng rng(1);
  SumTree tree(11, 1.0);
  for (int n = 0; n < 1000; ++n) {
    tree.set(rng.below(11), rng.uniform());
    for (std::size_t node = 1; node < tree.leaves(); ++node) {
      ASSERT_EQ(tree.sum(node), tree.sum(2 * node) + tree.sum(2 * node + 1));
    }
  }
  double sum = 0;
  for (const double value : tree.values()) sum += value;
  EXPECT_NEAR(tree.sum(1), sum, 1e-12);
  tree.divide(4);
  EXPECT_NEAR(tree.sum(1), sum / 4, 1e-12);
}

// p of Exp3 with the given weights, restricted to the items that are not taken.
std::vector<double> probabilities(const std::vector<double>& weights, double g,
                                  const std::vector<Item>& taken) {
  double sum = 0;
  for (const double w : weights) sum += w;
  std::vector<double> p;
  double mass = 0;
  for (Item e = 0; e < weights.size(); ++e) {
    const bool is_taken = std::find(taken.begin(), taken.end(), e) != taken.end();
    p.push_back(is_taken ? 0
                         : (1 - g) * weights[e] / sum + g / static_cast<double>(weights.size()));
    mass += p.back();
  }
  for (double& x : p) x /= mass;
  return p;
}

TEST(Exp3Bandit, DrawsFromItsProbabilitiesWhateverIsTaken) {
  const Shape shape{11, 3, 500};
  const double g = Exp3Bandit::exploration_rate(shape.items, shape.horizon);
  const std::vector<double> weights{1, 2, 0.5, 30, 1, 1, 7, 0, 4, 1, 12};
  Exp3Bandit bandit(shape);
  bandit.load({{"weights", weights}});
  Rng rng(2);
  for (const std::vector<Item>& taken :
       {std::vector<Item>{}, {3}, {10, 3}, {0, 1, 2, 4, 5, 6, 7, 8, 9, 10}}) {
    constexpr int kDraws = 100000;
    std::vector<int> seen(weights.size());
    for (int n = 0; n < kDraws; ++n) ++seen[bandit.choose(1, taken, rng)];
    const auto p = probabilities(weights, g, taken);
    for (std::size_t e = 0; e < p.size(); ++e) {
      EXPECT_NEAR(seen[e], kDraws * p[e], 5 * std::sqrt(kDraws * p[e] * (1 - p[e])) + 1e-9);
    }
  }
}

TEST(Exp3Bandit, RaisesTheWeightOfAClickByTheInverseOfItsProbability) {
  const Shape shape{4, 2, 100};
  const double g = Exp3Bandit::exploration_rate(shape.items, shape.horizon);
  Exp3Bandit bandit(shape);
  bandit.learn_gain(2, bandit.gain(2, std::vector<Item>{1}));
  const auto weights = bandit.save().at("weights").get<std::vector<double>>();
  EXPECT_DOUBLE_EQ(weights[2], std::exp(g / 4 * 3));  // three of four are free: p = 1/3
  EXPECT_EQ(weights[0], 1);
  EXPECT_EQ(weights[1], 1);
}

// A click is weighed by the chance that its item had when the list was made (Auer et al.), however
// many clicks came in between.
TEST(RankedExp3, WeighsALateClickByTheChancesOfItsList) {
  const Shape shape{6, 2, 1000};
  const std::vector<std::uint8_t> clicked{1, 0};
  RankedExp3 policy(shape, Duplicates::kSkip);
  Rng rng(3);
  Ranking late;
  policy.rank(rng, late);
  RankedExp3 at_once = policy;
  at_once.update(late, clicked);
  Ranking other;
  for (int n = 0; n < 200; ++n) {
    do policy.rank(rng, other);
    while (other.items[0] == late.items[0]);
    policy.update(other, clicked);
  }
  const auto weight = [&](const RankedExp3& p) {
    return p.save()["positions"][0]["weights"][late.items[0]].get<double>();
  };
  const double before = weight(policy);
  policy.update(late, clicked);
  EXPECT_NEAR(weight(policy) / before, weight(at_once), 1e-12);
}

}  // namespace
}  // namespace dcmrank
