// Ranked bandits (Radlinski, Kleinberg and Joachims, ICML 2008; Sec. 5.2, 5.3 and 6 of the paper):
// one bandit per position, whose reward is the click at that position.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "dcmrank/base/json_fields.h"
#include "dcmrank/policy/open_policy.h"
#include "dcmrank/policy/policy.h"
#include "dcmrank/policy/state.h"

namespace dcmrank {

/// What happens when a position's bandit wants an item that is already placed above.
enum class Duplicates {
  kSkip,    // it takes its best item that is not (the rule behind the paper's figures)
  kRandom,  // Radlinski's: a random item is shown instead, and the bandit learns "no click"
};

/// A bandit that weighs a click by the probability of its choice: gain(), when an item is chosen,
/// is what a click on it will be worth. The list keeps it for learn_gain() when the click comes,
/// since the probabilities may have changed by then.
template <class B>
concept WeighsByChance = requires(B bandit, const B& constant, Item item,
                                  std::span<const Item> taken, double gain) {
  { constant.gain(item, taken) } -> std::same_as<double>;
  { bandit.learn_gain(item, gain) } -> std::same_as<void>;
};

template <class B>
concept LearnsClicks = requires(B bandit, Item item, bool click) {
  { bandit.learn(item, click) } -> std::same_as<void>;
};

/// A bandit over all items, for one position. `taken` are the items it may not choose.
template <class B>
concept PositionBandit = std::copyable<B> &&
    (WeighsByChance<B> || LearnsClicks<B>)&&requires(B bandit, Rng& rng, std::uint64_t round,
                                                     std::span<const Item> taken) {
  { bandit.choose(round, taken, rng) } -> std::same_as<Item>;
};

/// The bandits of all positions: how they make a list and what they learn from it.
template <PositionBandit Bandit>
struct RankedBandits {
  std::size_t items = 0;
  Duplicates duplicates = Duplicates::kSkip;
  std::vector<Bandit> bandits;
  std::uint64_t round = 1;

  void rank(Rng& rng, Ranking& ranking) {
    ranking.items.clear();
    ranking.proposed.clear();
    ranking.gains.clear();
    for (Bandit& bandit : bandits) {
      const std::span<const Item> above = ranking.items;
      if (duplicates == Duplicates::kSkip) {
        const Item chosen = bandit.choose(round, above, rng);
        note_gain(bandit, chosen, above, ranking);
        ranking.items.push_back(chosen);
        continue;
      }
      const Item proposed = bandit.choose(round, {}, rng);
      note_gain(bandit, proposed, {}, ranking);
      ranking.proposed.push_back(proposed);
      ranking.items.push_back(contains(above, proposed) ? random_other(above, rng) : proposed);
    }
  }

  void update(const Ranking& shown, Clicks clicks) {
    for (std::size_t k = 0; k < clicks.size(); ++k) {
      const Item item = duplicates == Duplicates::kSkip ? shown.items[k] : shown.proposed[k];
      const bool click = clicks[k] != 0 && shown.items[k] == item;
      if constexpr (WeighsByChance<Bandit>) {
        if (click) bandits[k].learn_gain(item, shown.gains[k]);
      } else {
        bandits[k].learn(item, click);
      }
    }
    ++round;
  }

  /// Completes a list that somebody else chose.
  void impose(Ranking& ranking) const {
    ranking.proposed.clear();
    ranking.gains.clear();
    const std::span<const Item> list = ranking.items;
    const bool skip = duplicates == Duplicates::kSkip;
    for (std::size_t k = 0; k < list.size(); ++k) {
      note_gain(bandits[k], list[k], skip ? list.first(k) : std::span<const Item>(), ranking);
    }
    if (!skip) ranking.proposed = ranking.items;
  }

 private:
  static bool contains(std::span<const Item> list, Item e) {
    return std::find(list.begin(), list.end(), e) != list.end();
  }

  static void note_gain(const Bandit& bandit, Item chosen, std::span<const Item> taken,
                        Ranking& ranking) {
    if constexpr (WeighsByChance<Bandit>) ranking.gains.push_back(bandit.gain(chosen, taken));
  }

  // Uniform among the items not in `taken`.
  Item random_other(std::span<const Item> taken, Rng& rng) const {
    for (;;) {
      const Item e = static_cast<Item>(rng.below(items));
      if (!contains(taken, e)) return e;
    }
  }
};

/// The same over items that come and go (open_policy.h). An item's row is that of the first
/// position's bandit, then that of the second's, and so on.
template <PositionBandit Bandit>
class OpenRanked {
 public:
  OpenRanked(const Shape& shape, Duplicates duplicates)
      : all_{shape.items, duplicates, std::vector<Bandit>(shape.positions, Bandit(shape))} {}

  static RowFamily family() {
    return {Bandit::kFamily,
            [](std::span<const double> row) {
              Counts sum;
              for (; row.size() >= Bandit::kRow; row = row.subspan(Bandit::kRow)) {
                sum.merge(Bandit::counts_in(row.first(Bandit::kRow)));
              }
              return sum;
            },
            false,
            false,
            [](std::span<const double> row, double pages) -> std::string_view {
              // The last numbers may be missing: they are 0.
              std::array<double, Bandit::kRow> numbers{};
              for (std::size_t n = 0; n < row.size(); n += Bandit::kRow) {
                numbers.fill(0);
                const auto part = row.subspan(n, std::min(Bandit::kRow, row.size() - n));
                std::copy(part.begin(), part.end(), numbers.begin());
                if (const auto fault = Bandit::fault(numbers, pages); !fault.empty()) return fault;
              }
              return "";
            },
            no_numbers,
            true};
  }

  void open(std::size_t items) {
    all_.items = items;
    all_.round = 1;
    for (Bandit& bandit : all_.bandits) bandit.open(items);
  }

  void rank(Rng& rng, Ranking& ranking) { all_.rank(rng, ranking); }
  void update(const Ranking& shown, Clicks clicks) { all_.update(shown, clicks); }
  void impose(Ranking& ranking) const { all_.impose(ranking); }

  std::size_t item_row() const { return all_.bandits.size() * Bandit::kRow; }
  static constexpr std::size_t position_row() { return 0; }
  void put_round(std::uint64_t t) { all_.round = t; }

  void put_item(Item e, std::span<const double> row) {
    for (std::size_t k = 0; k < all_.bandits.size(); ++k) {
      all_.bandits[k].put(e, row.subspan(k * Bandit::kRow, Bandit::kRow));
    }
  }

  void get_item(Item e, std::span<double> row) const {
    for (std::size_t k = 0; k < all_.bandits.size(); ++k) {
      all_.bandits[k].get(e, row.subspan(k * Bandit::kRow, Bandit::kRow));
    }
  }

  static void put_position(std::size_t /*k*/, std::span<const double> /*row*/) {}
  static void get_position(std::size_t /*k*/, std::span<double> /*row*/) {}

  void add_prior(Item e, const Counts& prior) {
    for (Bandit& bandit : all_.bandits) bandit.add_prior(e, prior);
  }

  double score(Item e, std::size_t k) const { return all_.bandits[k].score(e, all_.round); }

 private:
  RankedBandits<Bandit> all_;
};

template <PositionBandit Bandit>
class RankedPolicy {
 public:
  RankedPolicy(const Shape& shape, Duplicates duplicates)
      : shape_(shape),
        all_{shape.items, duplicates, std::vector<Bandit>(shape.positions, Bandit(shape))} {}

  bool wants_initial_sample() const { return Bandit::kUsesInitialSample; }

  void observe_initial(std::span<const std::uint8_t> attracted) {
    for (Bandit& bandit : all_.bandits) bandit.observe_initial(attracted);
  }

  void rank(Rng& rng, Ranking& ranking) { all_.rank(rng, ranking); }
  void update(const Ranking& shown, Clicks clicks) { all_.update(shown, clicks); }

  nlohmann::ordered_json save() const {
    nlohmann::ordered_json bandits = nlohmann::ordered_json::array();
    for (const Bandit& bandit : all_.bandits) bandits.push_back(bandit.save());
    return {{"round", all_.round}, {"positions", std::move(bandits)}};
  }

  void load(const nlohmann::ordered_json& state) {
    all_.round = round_from_json(state);
    const auto& bandits = fields::array(state, "positions", all_.bandits.size());
    for (std::size_t k = 0; k < all_.bandits.size(); ++k) all_.bandits[k].load(bandits[k]);
  }

  auto open_view() const requires requires { typename Bandit::Open; }
  { return OpenRanked<typename Bandit::Open>(shape_, all_.duplicates); }

 private:
  Shape shape_;
  RankedBandits<Bandit> all_;
};

}  // namespace dcmrank
