#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dcmrank/random/beta.h"
#include "dcmrank/select/blocked_sums.h"
#include "dcmrank/select/scored.h"
#include "dcmrank/select/tail_items.h"

namespace dcmrank {

/// The best items by Thompson sampling where items are many, without drawing all of them. A
/// threshold, chosen from the past, is exceeded by somewhat more items than a list has places; they
/// are found with their draws (tail_items.h), and no other can be in the list. In the rare round in
/// which too few exceed it, the others are drawn given that they do not. So lists have exactly the
/// distribution that drawing all items gives them, if not the same draws. O(K log L) per round on
/// average. One thread at a time.
class ThompsonSelection {
 public:
  /// Up to here, or if lists hold a large part of the items, drawing all is faster.
  static constexpr std::size_t kMostDrawn = 100;
  static bool is_for(std::size_t items, std::size_t positions) {
    return items > kMostDrawn && items > 12 * positions;
  }

  /// `optimistic`: an item is worth its draw, but not less than its mean.
  ThompsonSelection(std::size_t items, std::size_t positions, bool optimistic);

  /// The counts of this item have changed to these. O(log L).
  void changed(Item e, const Counts& counts);

  /// Any counts may have changed.
  void start_over();

  /// Before counts change: the threshold that a list would be found with now is kept for later
  /// lists. It depends only on what was learned, not on when lists were asked for.
  void settle(std::span<const Counts> counts);

  /// Fills `best`, with room for at most the positions, with the items of the largest scores, the
  /// largest first, as a function of (key, counts, what was settled).
  void select(std::uint64_t key, std::span<const Counts> counts, std::span<Item> best);

  /// What the last select found, with their scores, the largest first.
  std::span<const Scored> selected() const { return std::span(scored_).first(selected_); }

  /// What was settled, so that a run continued from a file finds the same lists; nothing if nothing
  /// was. `restore`, after start_over, throws InputError for what `settled` would not have
  /// returned.
  std::optional<std::array<double, 3>> settled() const;
  void restore(const std::array<double, 3>& settled);

 private:
  struct Threshold {
    double at;
    double few;   // another is chosen where fewer exceed it on average than this,
    double many;  // or more than this
  };

  struct Excess {
    double items;
    double log_ratio;
  };

  void prepare(std::span<const Counts> counts);
  void make_room(std::size_t items);
  void find_certain(std::span<const Counts> counts);
  bool has_enough_certain() const { return certain_.sum() >= static_cast<double>(positions_); }
  bool fits() const;
  void choose(std::span<const Counts> counts);
  double step(const Excess& excess, double wanted) const;
  double nth_mean(std::span<const Counts> counts);
  double nth_score();
  Excess sample_excess(std::span<const Counts> counts);
  void choose_by_drawing_all(std::span<const Counts> counts);
  void keep();
  std::size_t target(std::size_t items) const;
  double score(double draw, const Counts& counts) const;
  std::size_t take_certain(std::uint64_t key, std::span<Item> best);
  void draw_above(std::uint64_t key, std::span<const Counts> counts);
  void draw_below(std::uint64_t key, std::span<const Counts> counts);
  void draw_asking(std::uint64_t key, std::span<const Counts> counts);
  void draw_asking_below(std::uint64_t key, std::span<const Counts> counts);
  void score_asking(std::uint64_t key, std::span<const Counts> counts);

  std::size_t positions_;
  bool optimistic_;
  TailItems tails_;
  bool is_built_ = false;  // tails_
  std::optional<Threshold> now_;
  std::optional<Threshold> settled_;
  BlockedSums certain_;  // 1 for an item that is worth 1 for certain, in which case it is not drawn
  bool knows_certain_ = false;
  // Scratch.
  std::vector<Scored> scored_;
  std::size_t selected_ = 0;
  std::vector<double> excesses_;
  std::vector<std::size_t> gone_;
  std::vector<Item> asking_;  // the items of batch_
  BetaBatch batch_;
};

}  // namespace dcmrank
