// dcmKL-UCB, Algorithm 1 of Katariya, Kveton, Szepesvari and Wen (ICML 2016), as one point of a
// family: an index scores the items, a placement turns scores into a list, a counting turns clicks
// into counts. The three combine freely.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "dcmrank/index/index.h"
#include "dcmrank/index/kl_ucb_index.h"
#include "dcmrank/index/thompson_index.h"
#include "dcmrank/policy/counting.h"
#include "dcmrank/policy/explorers.h"
#include "dcmrank/policy/leaders.h"
#include "dcmrank/policy/placement.h"
#include "dcmrank/policy/policy.h"
#include "dcmrank/policy/positions.h"
#include "dcmrank/policy/state.h"
#include "dcmrank/select/kl_ucb_selection.h"
#include "dcmrank/select/thompson_selection.h"

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

template <Index I>
class DcmPolicy {
 public:
  DcmPolicy(const Shape& shape, I index, DcmOptions options)
      : options_(std::move(options)),
        index_(std::move(index)),
        selects_(!kDraws || ThompsonSelection::is_for(shape.items, shape.positions)),
        counts_(shape.items),
        item_doubts_(shape.items),
        terminations_(shape.positions),
        position_doubts_(shape.positions),
        selection_(make_selection(shape)),
        leaders_(selects_ && is_cheapest() ? shape.items : 0),
        best_(shape.positions) {
    believe(options_.positions, terminations_, belief_);
  }

  bool wants_initial_sample() const { return options_.init == Initialisation::kFree; }

  void observe_initial(std::span<const std::uint8_t> attracted) {
    for (Item e = 0; e < counts_.size(); ++e) counts_[e].add(attracted[e] != 0);
    selection_.forget_all();
    leaders_.forget_all();
  }

  void rank(Rng& rng, Ranking& ranking) {
    const std::uint64_t key = rng();
    if (initialising()) return rank_initial(key, ranking.items);
    index_.begin_round(round_, subkey(key, kNoItem));
    if (uses_terminations()) believe(options_.positions, terminations_, belief_);
    if (selects_ && !open_) return rank_selected(key, ranking.items);
    const TieBreak ties = open_ ? TieBreak::in_order() : TieBreak(key);
    scored_.resize(counts_.size());
    score_all();
    if (options_.placement == Placement::kPaper) {
      place(scored_, belief_.order, ties, ranking.items);
    } else {
      place_explorers(scored_, counts_, belief_, ties, room_, ranking.items);
    }
  }

  /// O(K), where items are many O(K log L); no allocation.
  void update(const Ranking& shown, Clicks clicks) {
    const SeenPage page(shown.items, clicks);
    if (initialising()) {
      // Sec. 3.3: only position 1 is used, so that every item starts from exactly one sample.
      if (!clicks.empty()) counts_[shown.items[0]].add(clicks[0] != 0);
    } else {
      settle();
      learn(page);
    }
    if (!open_) forget(page);
    ++round_;
  }

  nlohmann::ordered_json save() const {
    nlohmann::ordered_json state{{"round", round_},
                                 {"counts", counts_to_json(counts_)},
                                 {"terminations", terminations_to_json(terminations_)},
                                 {"item_doubts", doubts_to_json(item_doubts_)},
                                 {"position_doubts", doubts_to_json(position_doubts_)}};
    if constexpr (kDraws) {
      if (const auto settled = selection_.settled()) state["threshold"] = *settled;
    }
    return state;
  }

  void load(const nlohmann::ordered_json& state) {
    round_ = round_from_json(state);
    counts_from_json(state, counts_);
    terminations_from_json(state, terminations_);
    doubts_from_json(state, "item_doubts", item_doubts_);
    doubts_from_json(state, "position_doubts", position_doubts_);
    selection_.forget_all();
    leaders_.forget_all();
    if constexpr (kDraws) {
      if (!state.contains("threshold")) return;
      const auto settled = numbers_from_json(state, "threshold", 3);
      selection_.restore({settled[0], settled[1], settled[2]});
    }
  }

  // Over an open set of items: policy.h.

  void open(std::size_t items) {
    open_ = true;
    round_ = 1;
    counts_.assign(items, {});
    item_doubts_.assign(items, {});
    terminations_.assign(terminations_.size(), {});
    position_doubts_.assign(position_doubts_.size(), {});
  }

  static constexpr std::size_t item_row() { return 5; }
  static constexpr std::size_t position_row() { return 5; }
  void put_round(std::uint64_t t) { round_ = t; }

  void put_item(Item e, std::span<const double> row) {
    counts_[e] = counts_in(row);
    item_doubts_[e] = doubt_in(row);
  }

  void put_position(std::size_t k, std::span<const double> row) {
    terminations_[k] = {std::max(0.0, row[0]), std::max(0.0, row[1])};
    position_doubts_[k] = doubt_in(row);
  }

  void add_prior(Item e, const Counts& prior) { counts_[e].merge(prior); }

  static void impose(Ranking& /*ranking*/) {}

  void get_item(Item e, std::span<double> row) const {
    row[0] = counts_[e].observed;
    row[1] = counts_[e].attracted;
    row[2] = item_doubts_[e].pages;
    row[3] = item_doubts_[e].weight;
    row[4] = item_doubts_[e].believed;
  }

  void get_position(std::size_t k, std::span<double> row) const {
    row[0] = terminations_[k].clicked;
    row[1] = terminations_[k].terminated;
    row[2] = position_doubts_[k].pages;
    row[3] = position_doubts_[k].weight;
    row[4] = position_doubts_[k].believed;
  }

  double score(Item e, std::size_t /*position*/ = 0) const {
    return open_ && counts_[e].observed <= 0 ? 1 : index_(e, counts_[e]);
  }

  Counting counting() const { return options_.counting; }

  static Counts counts_in(std::span<const double> row) {
    const double attracted = std::max(0.0, row[1]);
    return {std::max(row[0], attracted), attracted};
  }

 private:
  static Doubt doubt_in(std::span<const double> row) {
    const double pages = std::max(0.0, row[2]);
    return {pages, std::clamp(row[3], 0.0, pages), std::clamp(row[4], 0.0, pages)};
  }

  static constexpr std::uint64_t kNoItem = std::uint64_t{1} << 32;  // above every Item
  static constexpr bool kDraws = !ClockedKlUcb<I>;                  // Thompson sampling
  using Selection = std::conditional_t<kDraws, ThompsonSelection, KlUcbSelection>;

  Selection make_selection(const Shape& shape) const {
    if constexpr (kDraws) {
      return Selection(selects_ ? shape.items : 1, shape.positions, I::kOptimistic);
    } else {
      return Selection(shape.items);
    }
  }

  bool initialising() const {
    return options_.init == Initialisation::kFirstPosition && !open_ && round_ <= counts_.size();
  }

  bool is_cheapest() const { return options_.placement == Placement::kCheapest; }

  bool uses_terminations() const { return is_cheapest() || !options_.positions.order; }

  void score_all() {
    if constexpr (requires { index_.for_all(counts_, [](Item, double) {}); }) {
      index_.for_all(counts_, [&](Item e, double score) { scored_[e] = {score, e}; });
    } else {
      for (Item e = 0; e < counts_.size(); ++e) scored_[e] = {index_(e, counts_[e]), e};
    }
    if (!open_) return;
    for (Scored& s : scored_) {
      if (counts_[s.item].observed <= 0) s.score = 1;
    }
  }

  // Item t at position 1, the positions below filled at random.
  void rank_initial(std::uint64_t key, std::vector<Item>& list) {
    TieDraws draws(key);
    list.assign(1, static_cast<Item>(round_ - 1));
    while (list.size() < belief_.order.size()) {
      const auto e = static_cast<Item>(draws.below(counts_.size()));
      if (std::find(list.begin(), list.end(), e) == list.end()) list.push_back(e);
    }
  }

  // The n-th largest score at the n-th most terminating position (Algorithm 1), or the list of the
  // cheapest places.
  void rank_selected(std::uint64_t key, std::vector<Item>& list) {
    if constexpr (kDraws) {
      selection_.select(subkey(key, kNoItem), counts_, best_);
    } else {
      TieDraws ties(key);
      selection_.select(index_, counts_, {}, ties, best_);
    }
    if (is_cheapest()) {
      leaders_.find(subkey(key, kNoItem + 1), counts_, best_, room_);
      return place_chosen(belief_, room_, list);
    }
    if (list.size() != best_.size()) list.resize(best_.size());
    for (std::size_t n = 0; n < best_.size(); ++n) list[belief_.order[n]] = best_[n];
  }

  // Before counts change.
  void settle() {
    if constexpr (kDraws) {
      if (selects_ && !open_) selection_.settle(counts_);
    }
  }

  // The items of this page may have other counts now.
  void forget(const SeenPage& page) {
    if constexpr (!kDraws) selection_.forget(page.list, counts_);
    if (!selects_ || !(kDraws || is_cheapest())) return;
    for (const Item e : page.list.first(counted_positions(options_.counting, page))) {
      if constexpr (kDraws) selection_.forget(e, counts_[e]);
      leaders_.forget(e, counts_[e]);
    }
  }

  void learn(const SeenPage& page) {
    const std::size_t l = page.leaves_doubt ? page.last - 1 : 0;
    const double v = termination_at(
        options_.positions, judged_by(options_.counting, terminations_[l], position_doubts_[l]), l);
    const double q = stop_probability(options_.counting, v, page, counts_, item_doubts_);
    count(options_.counting, page, counts_);
    count_below(options_.counting, q, page, counts_, item_doubts_);
    count_terminations(options_.counting, q, page, terminations_, position_doubts_);
  }

  DcmOptions options_;
  I index_;
  bool selects_;             // the best items are found without scoring every item
  bool open_ = false;        // items come and go (policy.h)
  std::uint64_t round_ = 1;  // t of the next list
  std::vector<Counts> counts_;
  std::vector<Doubt> item_doubts_;
  std::vector<TerminationCounts> terminations_;
  std::vector<Doubt> position_doubts_;
  // Scratch of rank.
  std::vector<Scored> scored_;
  Selection selection_;
  LeaderTree leaders_;
  std::vector<Item> best_;
  PositionBelief belief_;
  ExplorerRoom room_;
};

using DcmKlUcb = DcmPolicy<KlUcbIndex>;
using DcmKlUcbPlus = DcmPolicy<KlUcbPlusIndex>;
using DcmThompson = DcmPolicy<ThompsonIndex>;
using DcmOptimisticThompson = DcmPolicy<OptimisticThompsonIndex>;
static_assert(OpenPolicy<DcmKlUcb> && OpenPolicy<DcmKlUcbPlus> && OpenPolicy<DcmThompson> &&
              OpenPolicy<DcmOptimisticThompson>);

}  // namespace dcmrank
