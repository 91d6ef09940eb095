#include "dcmrank/policy/ranked.h"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "dcmrank/base/error.h"
#include "dcmrank/policy/exp3_bandit.h"
#include "dcmrank/policy/kl_ucb_bandit.h"

namespace dcmrank {
namespace {

// A bandit that always wants item 0 and writes down what it is told.
struct Stubborn {
  static constexpr bool kUsesInitialSample = false;
  explicit Stubborn(const Shape&) {}
  static Item choose(std::uint64_t, std::span<const Item> taken, Rng&) {
    return static_cast<Item>(taken.size());  // its best that is not taken: 0, then 1, ...
  }
  void learn(Item item, bool click) { told.push_back({item, click}); }
  static void observe_initial(std::span<const std::uint8_t>) {}
  nlohmann::ordered_json save() const {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const auto& [item, click] : told) json.push_back({item, click});
    return json;
  }
  static void load(const nlohmann::ordered_json&) {}
  std::vector<std::pair<Item, bool>> told;
};

const Shape kRankedShape{4, 3, 100};

TEST(RankedPolicy, TakesTheBestItemNotPlacedAbove) {
  RankedPolicy<Stubborn> policy(kRankedShape, Duplicates::kSkip);
  Rng rng(1);
  Ranking ranking;
  policy.rank(rng, ranking);
  EXPECT_EQ(ranking.items, (std::vector<Item>{0, 1, 2}));
  policy.update(ranking, std::vector<std::uint8_t>{0, 1, 0});
  EXPECT_EQ(policy.save()["positions"].dump(), "[[[0,false]],[[1,true]],[[2,false]]]");
}

TEST(RankedPolicy, ReplacesADuplicateAtRandomAndScoresItZero) {
  RankedPolicy<Stubborn> policy(kRankedShape, Duplicates::kRandom);
  Rng rng(1);
  Ranking ranking;
  policy.rank(rng, ranking);
  EXPECT_EQ(ranking.proposed, (std::vector<Item>{0, 0, 0}));
  EXPECT_EQ(ranking.items[0], 0U);
  policy.update(ranking, std::vector<std::uint8_t>{1, 1, 1});  // also on the replacements
  EXPECT_EQ(policy.save()["positions"].dump(), "[[[0,true]],[[0,false]],[[0,false]]]");
}

TEST(Exp3, ExploresAtTheRateOfAuer) {
  EXPECT_NEAR(Exp3Bandit::exploration_rate(16, 100000),
              std::sqrt(16 * std::log(16) / ((std::exp(1) - 1) * 1e5)), 1e-15);
  EXPECT_EQ(Exp3Bandit::exploration_rate(16, 1), 1);
}

// One step by hand: p = 1/L at the start, so a click multiplies the weight by exp(g (1/p) / L).
TEST(Exp3, MultipliesTheWeightOfAClickedItem) {
  Exp3Bandit bandit({4, 1, 100});
  const double g = Exp3Bandit::exploration_rate(4, 100);
  bandit.learn_gain(2, bandit.gain(2, {}));
  EXPECT_EQ(bandit.save()["weights"][1], 1.0);
  EXPECT_DOUBLE_EQ(bandit.save()["weights"][2], std::exp(g * 4 / 4));
}

TEST(Exp3, DrawsFromItsDistributionWithoutWhatIsTaken) {
  Exp3Bandit bandit({4, 2, 1000});
  for (int i = 0; i < 5; ++i) bandit.learn_gain(2, bandit.gain(2, {}));
  const auto weights = bandit.save()["weights"].get<std::vector<double>>();
  const double g = Exp3Bandit::exploration_rate(4, 1000);
  double sum = 0;
  for (const double w : weights) sum += w;
  const auto p = [&](Item e) { return (1 - g) * weights[e] / sum + g / 4; };
  std::array<double, 4> seen{};
  constexpr int kDraws = 100000;
  Rng rng(3);
  const std::vector<Item> taken{1};
  for (int i = 0; i < kDraws; ++i) seen.at(bandit.choose(1, taken, rng)) += 1.0 / kDraws;
  EXPECT_EQ(seen[1], 0);
  for (const Item e : {Item{0}, Item{2}, Item{3}}) {
    EXPECT_NEAR(seen[e], p(e) / (1 - p(1)), 4 * std::sqrt(0.25 / kDraws));
  }
}

TEST(Exp3, KeepsItsWeightsInRangeOverManyClicks) {
  Exp3Bandit bandit({3, 1, 10});
  for (int i = 0; i < 100000; ++i) bandit.learn_gain(1, bandit.gain(1, {}));
  for (const double weight : bandit.save()["weights"].get<std::vector<double>>()) {
    EXPECT_TRUE(std::isfinite(weight));
    EXPECT_LE(weight, 1e100);
  }
  Rng rng(1);
  int chosen = 0;
  for (int i = 0; i < 1000; ++i) chosen += bandit.choose(1, {}, rng) == 1 ? 1 : 0;
  EXPECT_GT(chosen, 0);
}

TEST(Exp3, RefusesASavedStateWithoutWeight) {
  Exp3Bandit bandit({3, 1, 10});
  EXPECT_THROW(bandit.load({{"weights", {0, 0, 0}}}), InputError);
}

}  // namespace
}  // namespace dcmrank
