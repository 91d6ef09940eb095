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

/// A bandit that weighs a click by the chance of its choice: gain() tells what a click is worth, to
/// be kept with the list and given to learn_gain().
template <class B>
concept WeighsByChance = requires(B bandit, const B& constant, Item item,
                                  std::span<const Item> taken, double gain) {
  { constant.gain(item, taken) } -> std::same_as<double>;
  { bandit.learn_gain(item, gain) } -> std::same_as<void>;
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
    ranking.gains.clear();
    for (Bandit& bandit : bandits_) {
      const std::span<const Item> above = ranking.items;
      if (duplicates_ == Duplicates::kSkip) {
        const Item chosen = bandit.choose(round_, above, rng);
        note_gain(bandit, chosen, above, ranking);
        ranking.items.push_back(chosen);
        continue;
      }
      const Item proposed = bandit.choose(round_, {}, rng);
      note_gain(bandit, proposed, {}, ranking);
      ranking.proposed.push_back(proposed);
      ranking.items.push_back(contains(above, proposed) ? random_other(above, rng) : proposed);
    }
  }

  void update(const Ranking& shown, Clicks clicks) {
    for (std::size_t k = 0; k < clicks.size(); ++k) {
      const bool click = clicks[k] != 0;
      if (duplicates_ == Duplicates::kSkip) {
        learn(k, shown, shown.items[k], click, std::span(shown.items).first(k));
      } else {
        learn(k, shown, shown.proposed[k], click && shown.items[k] == shown.proposed[k], {});
      }
    }
    ++round_;
  }

  // Over an open set of items: policy.h. An item's row is that of the first position's bandit, then
  // that of the second's, and so on.

  void open(std::size_t items) {
    open_ = true;
    items_ = items;
    round_ = 1;
    for (Bandit& bandit : bandits_) bandit.open(items);
  }

  std::size_t item_row() const { return bandits_.size() * Bandit::kRow; }
  static constexpr std::size_t position_row() { return 0; }
  void put_round(std::uint64_t t) { round_ = t; }

  void put_item(Item e, std::span<const double> row) {
    for (std::size_t k = 0; k < bandits_.size(); ++k) {
      bandits_[k].put(e, row.subspan(k * Bandit::kRow, Bandit::kRow));
    }
  }

  static void put_position(std::size_t /*k*/, std::span<const double> /*row*/) {}

  void add_prior(Item e, const Counts& prior) {
    for (Bandit& bandit : bandits_) bandit.add_prior(e, prior);
  }

  void impose(Ranking& ranking) const {
    ranking.proposed.clear();
    ranking.gains.clear();
    const std::span<const Item> list = ranking.items;
    const bool skip = duplicates_ == Duplicates::kSkip;
    for (std::size_t k = 0; k < list.size(); ++k) {
      note_gain(bandits_[k], list[k], skip ? list.first(k) : std::span<const Item>(), ranking);
    }
    if (!skip) ranking.proposed = ranking.items;
  }

  void get_item(Item e, std::span<double> row) const {
    for (std::size_t k = 0; k < bandits_.size(); ++k) {
      bandits_[k].get(e, row.subspan(k * Bandit::kRow, Bandit::kRow));
    }
  }

  static void get_position(std::size_t /*k*/, std::span<double> /*row*/) {}

  double score(Item e, std::size_t k) const { return bandits_[k].score(e, round_); }

  static Counts counts_in(std::span<const double> row) {
    Counts sum;
    for (; row.size() >= Bandit::kRow; row = row.subspan(Bandit::kRow)) {
      sum.merge(Bandit::counts_in(row.first(Bandit::kRow)));
    }
    return sum;
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

  void note_gain(const Bandit& bandit, Item chosen, std::span<const Item> taken,
                 Ranking& ranking) const {
    if constexpr (WeighsByChance<Bandit>) {
      if (open_) ranking.gains.push_back(bandit.gain(chosen, taken));
    }
  }

  void learn(std::size_t k, const Ranking& shown, Item item, bool click,
             std::span<const Item> taken) {
    if constexpr (WeighsByChance<Bandit>) {
      if (open_) {
        if (click) bandits_[k].learn_gain(item, shown.gains[k]);
        return;
      }
    }
    bandits_[k].learn(item, click, taken);
  }

  // Uniform among the items not in `taken`.
  Item random_other(std::span<const Item> taken, Rng& rng) const {
    for (;;) {
      const Item e = static_cast<Item>(rng.below(items_));
      if (!contains(taken, e)) return e;
    }
  }

  std::size_t items_;
  bool open_ = false;
  Duplicates duplicates_;
  std::uint64_t round_ = 1;
  std::vector<Bandit> bandits_;
};

}  // namespace dcmrank
