// dcmKL-UCB, Algorithm 1 of Katariya, Kveton, Szepesvari and Wen (ICML 2016), as one point of a
// family: an index scores the items, a placement turns scores into a list, a counting turns clicks
// into counts. The three combine freely.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "dcmrank/base/json_fields.h"
#include "dcmrank/index/index.h"
#include "dcmrank/placement/comparison.h"
#include "dcmrank/placement/explorers.h"
#include "dcmrank/placement/leaders.h"
#include "dcmrank/policy/dcm_knowledge.h"
#include "dcmrank/policy/open_dcm.h"
#include "dcmrank/policy/policy.h"
#include "dcmrank/select/best_items.h"

namespace dcmrank {

/// A selection that keeps something derived from what was learned, which a saved state must hold:
/// `settle` is called before counts change.
template <class S>
concept Settles = requires(S selection, std::span<const Counts> counts,
                           const std::array<double, 3>& settled) {
  selection.settle(counts);
  { selection.settled() } -> std::same_as<Settled>;
  selection.restore(settled);
};

template <Index I>
class DcmPolicy {
 public:
  DcmPolicy(const Shape& shape, I index, DcmOptions options)
      : options_(std::move(options)),
        index_(std::move(index)),
        known_(shape.items, shape.positions),
        selection_(shape.items, shape.positions),
        has_tree_(moves_explorers() && !draws_all()),
        leaders_(has_tree_ ? shape.items : 0),
        best_(shape.positions) {
    believe(options_.positions, known_.terminations, belief_);
  }

  bool wants_initial_sample() const { return options_.init == Initialisation::kFree; }

  void observe_initial(std::span<const std::uint8_t> attracted) {
    for (Item e = 0; e < known_.counts.size(); ++e) known_.counts[e].add(attracted[e] != 0);
    start_over();
  }

  void rank(Rng& rng, Ranking& ranking) {
    const std::uint64_t key = rng();
    ranking.initial = is_initialising();
    if (ranking.initial) return rank_initial(key, ranking.items);
    index_.begin_round(known_.round, subkey(key, kIndexKey));
    if (options_.uses_terminations()) believe(options_.positions, known_.terminations, belief_);
    selection_.select(index_, key, known_.counts, {}, best_);
    if (moves_explorers() && sees_whole_lists()) {
      place_cheapest(key, ranking.items);
    } else {
      place_best(best_, belief_.order, ranking.items);
    }
  }

  /// O(K), or O(K log L) if items are many; no allocation.
  void update(const Ranking& shown, Clicks clicks) {
    const SeenPage page(shown.items, clicks);
    if (shown.initial) {
      // Sec. 3.3: only position 1 is used, so that every item starts from exactly one sample.
      if (!clicks.empty()) known_.counts[shown.items[0]].add(clicks[0] != 0);
    } else {
      if constexpr (Settles<BestItems<I>>) selection_.settle(known_.counts);
      known_.learn(options_, page);
    }
    note_changes(page);
    ++known_.round;
    if (clicks.size() < shown.items.size()) ++short_pages_;
  }

  nlohmann::ordered_json save() const {
    Settled settled;
    if constexpr (Settles<BestItems<I>>) settled = selection_.settled();
    auto state = dcmrank::save(known_, settled);
    // Some lists of the initialisation still wait for their clicks.
    if (is_initialising() && next_initial_ != known_.round - 1) state["shown"] = next_initial_;
    if (short_pages_ > 0) state["short_pages"] = short_pages_;
    return state;
  }

  void load(const nlohmann::ordered_json& state) {
    const Settled settled = dcmrank::load(state, known_);
    next_initial_ = state.contains("shown")
                        ? fields::whole_number(state, "shown", 0, known_.counts.size())
                        : known_.round - 1;
    short_pages_ = state.contains("short_pages")
                       ? fields::whole_number(state, "short_pages", 0, known_.round - 1)
                       : 0;
    start_over();
    if constexpr (Settles<BestItems<I>>) {
      if (settled) selection_.restore(*settled);
    }
  }

  OpenDcm<I> open_view() const { return OpenDcm<I>(best_.size(), index_, options_); }

  Counting counting() const { return options_.counting; }
  const DcmKnowledge& knowledge() const { return known_; }

 private:
  bool moves_explorers() const { return options_.placement != Placement::kPaper; }

  // Where lists are mostly cut off, an explorer would be moved to where nobody looks: observing it
  // there costs nothing, since it is never observed.
  bool sees_whole_lists() const { return 2 * short_pages_ < known_.round; }

  // Whether some item has not been shown at position 1 yet. A list counts when it is shown, not
  // when its clicks come, which may be late, or never.
  bool is_initialising() const {
    return options_.init == Initialisation::kFirstPosition && next_initial_ < known_.counts.size();
  }

  bool draws_all() const {
    if constexpr (requires { selection_.draws_all(); }) return selection_.draws_all();
    return false;
  }

  void start_over() {
    selection_.start_over();
    leaders_.start_over();
  }

  // Item t at position 1, the positions below filled at random.
  void rank_initial(std::uint64_t key, std::vector<Item>& list) {
    TieDraws draws(key);
    list.assign(1, static_cast<Item>(next_initial_++));
    while (list.size() < belief_.order.size()) {
      const auto e = static_cast<Item>(draws.below(known_.counts.size()));
      if (std::find(list.begin(), list.end(), e) == list.end()) list.push_back(e);
    }
  }

  void place_cheapest(std::uint64_t key, std::vector<Item>& list) {
    if (has_tree_) {
      leaders_.find(subkey(key, kLeadersKey), known_.counts, best_, room_);
    } else {
      find_leaders(known_.counts, best_, TieBreak(key), room_);
    }
    if (options_.placement == Placement::kCheaper) {
      place_compared(belief_, CounterRng(subkey(key, kMoveKey)).inside(), room_, list);
    } else {
      place_chosen(belief_, room_, list);
    }
  }

  // The items of this page may have other counts now.
  void note_changes(const SeenPage& page) {
    if constexpr (ClockedKlUcb<I>) {  // all of the list: looking again is cheap
      selection_.changed(page.list, known_.counts);
      if (!has_tree_) return;
    }
    const auto counted = page.list.first(counted_positions(options_.counting, page));
    if constexpr (!ClockedKlUcb<I>) selection_.changed(counted, known_.counts);
    if (!has_tree_) return;
    for (const Item e : counted) leaders_.changed(e, known_.counts[e]);
  }

  DcmOptions options_;
  I index_;
  DcmKnowledge known_;
  std::uint64_t short_pages_ = 0;   // of which only the first positions were on the screen
  std::uint64_t next_initial_ = 0;  // the item that the initialisation shows next
  BestItems<I> selection_;
  bool has_tree_;  // leaders are known without looking at every mean
  LeaderTree leaders_;
  // Scratch of rank.
  std::vector<Item> best_;
  PositionBelief belief_;
  ExplorerRoom room_;
};

}  // namespace dcmrank
