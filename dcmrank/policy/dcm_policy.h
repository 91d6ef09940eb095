// dcmKL-UCB, Algorithm 1 of Katariya, Kveton, Szepesvari and Wen (ICML 2016), as one point of a
// family: an index scores the items, a placement turns scores into a list, a counting turns clicks
// into counts. The three combine freely.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "dcmrank/index/index.h"
#include "dcmrank/index/kl_ucb_bounds.h"
#include "dcmrank/index/kl_ucb_index.h"
#include "dcmrank/index/thompson_index.h"
#include "dcmrank/policy/counting.h"
#include "dcmrank/policy/explorers.h"
#include "dcmrank/policy/lazy_placement.h"
#include "dcmrank/policy/placement.h"
#include "dcmrank/policy/policy.h"
#include "dcmrank/policy/positions.h"
#include "dcmrank/policy/state.h"

namespace dcmrank {

/// Where the one sample of every item, from which the algorithm starts, comes from.
enum class Initialisation {
  kFree,           // Algorithm 1: w_0 is observed before the first step
  kFirstPosition,  // Sec. 3.3: step t <= L shows item t at position 1; its regret counts
};

enum class Placement {
  kPaper,     // Algorithm 1: the n-th largest score at the n-th most terminating position
  kCheapest,  // leaders likewise; explorers where an observation costs least (explorers.h)
};

/// All but the index.
struct DcmOptions {
  Counting counting = Counting::kPrefix;
  Placement placement = Placement::kPaper;
  Initialisation init = Initialisation::kFree;
  PositionKnowledge positions{};  // an order names every position once
};

/// An index whose scores can be bounded by tangents (kl_ucb_bounds.h): a KL-UCB index at a budget
/// that is the same for all items.
template <class I>
concept HasCommonBudget = requires(const I& index) {
  { index.budget() } -> std::same_as<double>;
};

template <Index I>
class DcmPolicy {
 public:
  DcmPolicy(const Shape& shape, I index, DcmOptions options)
      : options_(std::move(options)),
        index_(std::move(index)),
        counts_(shape.items),
        item_doubts_(shape.items),
        terminations_(shape.positions),
        position_doubts_(shape.positions),
        scored_(shape.items),
        bounds_(HasCommonBudget<I> ? shape.items : 0),
        lazy_(HasCommonBudget<I> ? shape.items : 0) {
    believe(options_.positions, terminations_, belief_);
  }

  bool wants_initial_sample() const { return options_.init == Initialisation::kFree; }

  void observe_initial(std::span<const std::uint8_t> attracted) {
    for (Item e = 0; e < counts_.size(); ++e) counts_[e].add(attracted[e] != 0);
    bounds_.forget_all();
  }

  void rank(Rng& rng, Ranking& ranking) {
    const std::uint64_t key = rng();
    const TieBreak ties(key);
    if (initialising()) return rank_initial(ties, ranking);
    index_.begin_round(round_, subkey(key, kNoItem));
    if (uses_terminations()) believe(options_.positions, terminations_, belief_);
    if constexpr (HasCommonBudget<I>) {
      if (options_.placement == Placement::kPaper) return rank_lazily(ties, ranking.items);
    }
    for (Item e = 0; e < counts_.size(); ++e) scored_[e] = {index_(e, counts_[e]), e};
    if (options_.placement == Placement::kPaper) {
      place(scored_, belief_.order, ties, ranking.items);
    } else {
      place_explorers(scored_, counts_, belief_, ties, room_, ranking.items);
    }
  }

  /// O(K), no allocation.
  void update(const Ranking& shown, Clicks clicks) {
    if (initialising()) {
      // Sec. 3.3: only position 1 is used, so that every item starts from exactly one sample.
      if (!clicks.empty()) counts_[shown.items[0]].add(clicks[0] != 0);
    } else {
      learn(shown.items, clicks);
    }
    if constexpr (HasCommonBudget<I>) {
      for (const Item e : shown.items) bounds_.forget(e);
    }
    ++round_;
  }

  nlohmann::ordered_json save() const {
    return {{"round", round_},
            {"counts", counts_to_json(counts_)},
            {"terminations", terminations_to_json(terminations_)},
            {"item_doubts", doubts_to_json(item_doubts_)},
            {"position_doubts", doubts_to_json(position_doubts_)}};
  }

  void load(const nlohmann::ordered_json& state) {
    round_ = round_from_json(state);
    counts_from_json(state, counts_);
    terminations_from_json(state, terminations_);
    doubts_from_json(state, "item_doubts", item_doubts_);
    doubts_from_json(state, "position_doubts", position_doubts_);
    bounds_.forget_all();
  }

 private:
  static constexpr std::uint64_t kNoItem = std::uint64_t{1} << 32;  // above every Item

  bool initialising() const {
    return options_.init == Initialisation::kFirstPosition && round_ <= counts_.size();
  }

  bool uses_terminations() const {
    return options_.placement == Placement::kCheapest || !options_.positions.order;
  }

  // Item t at position 1, the positions below filled at random.
  void rank_initial(TieBreak ties, Ranking& ranking) {
    const Item first = static_cast<Item>(round_ - 1);
    for (Item e = 0; e < counts_.size(); ++e) scored_[e] = {e == first ? 1.0 : 0.0, e};
    place(scored_, top_down(belief_.order.size()), ties, ranking.items);
  }

  // The list of place(), from the indices of those items alone that can be among the best.
  void rank_lazily(TieBreak ties, std::vector<Item>& list) {
    const double budget = index_.budget();
    const auto bound = [&](Item e) { return bounds_(e, budget); };
    const auto score = [&](Item e) {
      const double value = index_(e, counts_[e]);
      bounds_.keep(e, counts_[e], value, budget);
      return value;
    };
    lazy_.place(bound, score, belief_.order, ties, list);
  }

  void learn(std::span<const Item> list, Clicks clicks) {
    double q = 0;
    if (leaves_doubt(clicks)) {
      const std::size_t l = last_click(clicks) - 1;
      const double v =
          termination_at(options_.positions,
                         judged_by(options_.counting, terminations_[l], position_doubts_[l]), l);
      q = stop_probability(options_.counting, v, list, clicks, counts_, item_doubts_);
    }
    count(options_.counting, list, clicks, counts_);
    count_below(options_.counting, q, list, clicks, counts_, item_doubts_);
    count_terminations(options_.counting, q, clicks, terminations_, position_doubts_);
  }

  DcmOptions options_;
  I index_;
  std::uint64_t round_ = 1;  // t of the next list
  std::vector<Counts> counts_;
  std::vector<Doubt> item_doubts_;
  std::vector<TerminationCounts> terminations_;
  std::vector<Doubt> position_doubts_;
  // Scratch of rank.
  std::vector<Scored> scored_;
  KlUcbBounds bounds_;
  LazyPlacement lazy_;
  PositionBelief belief_;
  ExplorerRoom room_;
};

using DcmKlUcb = DcmPolicy<KlUcbIndex>;
using DcmKlUcbPlus = DcmPolicy<KlUcbPlusIndex>;
using DcmThompson = DcmPolicy<ThompsonIndex>;
using DcmOptimisticThompson = DcmPolicy<OptimisticThompsonIndex>;
static_assert(Policy<DcmKlUcb> && Policy<DcmKlUcbPlus> && Policy<DcmThompson> &&
              Policy<DcmOptimisticThompson>);

}  // namespace dcmrank
