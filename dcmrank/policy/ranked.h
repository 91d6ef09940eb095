// Ranked bandits (Radlinski, Kleinberg and Joachims, ICML 2008; Sec. 5.2, 5.3 and 6 of the paper):
// one bandit a position, whose reward is the click at that position.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <nlohmann/json.hpp>

#include "dcmrank/policy/policy.h"
#include "dcmrank/policy/state.h"

namespace dcmrank {

/// What happens when a position's bandit wants an item that already stands above.
enum class Duplicates {
  kSkip,    // it takes its best item that does not (the rule behind the paper's figures)
  kRandom,  // Radlinski's: a random item is shown instead, and the bandit is told "no click"
};

/// A bandit over all items, for one position. `taken` are the items it may not choose; the same
/// items are given to learn, for bandits that weigh a reward by the probability of the choice.
template <class B>
concept PositionBandit = std::copyable<B> && std::constructible_from<B, const Shape&> &&
    requires(B bandit, const B& constant, Rng& rng, std::uint64_t round, Item item, bool click,
             std::span<const Item> taken, std::span<const std::uint8_t> sample,
             const nlohmann::ordered_json& state) {
  { bandit.choose(round, taken, rng) } -> std::same_as<Item>;
  { bandit.learn(item, click, taken) } -> std::same_as<void>;
  { B::kUsesInitialSample } -> std::convertible_to<bool>;
  { bandit.observe_initial(sample) } -> std::same_as<void>;
  { constant.save() } -> std::same_as<nlohmann::ordered_json>;
  { bandit.load(state) } -> std::same_as<void>;
};

template <PositionBandit Bandit>
class RankedPolicy {
 public:
  RankedPolicy(const Shape& shape, Duplicates duplicates)
      : items_(shape.items), duplicates_(duplicates), bandits_(shape.positions, Bandit(shape)) {}

  bool wants_initial_sample() const { return Bandit::kUsesInitialSample; }

  void observe_initial(std::span<const std::uint8_t> attracted) {
    for (Bandit& bandit : bandits_) bandit.observe_initial(attracted);
  }

  void rank(Rng& rng, Ranking& ranking) {
    ranking.items.clear();
    ranking.proposed.clear();
    for (Bandit& bandit : bandits_) {
      const std::span<const Item> above = ranking.items;
      if (duplicates_ == Duplicates::kSkip) {
        ranking.items.push_back(bandit.choose(round_, above, rng));
        continue;
      }
      const Item proposed = bandit.choose(round_, {}, rng);
      ranking.proposed.push_back(proposed);
      ranking.items.push_back(contains(above, proposed) ? random_other(above, rng) : proposed);
    }
  }

  void update(const Ranking& shown, Clicks clicks) {
    for (std::size_t k = 0; k < clicks.size(); ++k) {
      const bool click = clicks[k] != 0;
      if (duplicates_ == Duplicates::kSkip) {
        bandits_[k].learn(shown.items[k], click, std::span(shown.items).first(k));
      } else {
        bandits_[k].learn(shown.proposed[k], click && shown.items[k] == shown.proposed[k], {});
      }
    }
    ++round_;
  }

  nlohmann::ordered_json save() const {
    nlohmann::ordered_json bandits = nlohmann::ordered_json::array();
    for (const Bandit& bandit : bandits_) bandits.push_back(bandit.save());
    return {{"round", round_}, {"positions", std::move(bandits)}};
  }

  void load(const nlohmann::ordered_json& state) {
    round_ = round_from_json(state);
    const auto& bandits = array_from_json(state, "positions", bandits_.size());
    for (std::size_t k = 0; k < bandits_.size(); ++k) bandits_[k].load(bandits[k]);
  }

 private:
  static bool contains(std::span<const Item> list, Item e) {
    return std::find(list.begin(), list.end(), e) != list.end();
  }

  // Uniform among the items not in `taken`.
  Item random_other(std::span<const Item> taken, Rng& rng) const {
    for (;;) {
      const Item e = static_cast<Item>(rng.below(items_));
      if (!contains(taken, e)) return e;
    }
  }

  std::size_t items_;
  Duplicates duplicates_;
  std::uint64_t round_ = 1;
  std::vector<Bandit> bandits_;
};

}  // namespace dcmrank
