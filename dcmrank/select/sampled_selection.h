#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "dcmrank/index/thompson_index.h"
#include "dcmrank/select/all_scores.h"
#include "dcmrank/select/scored.h"
#include "dcmrank/select/selection.h"
#include "dcmrank/select/thompson_selection.h"

namespace dcmrank {

/// The best items by Thompson sampling: if items are few, all are drawn; if many, only those that
/// can be in the list (thompson_selection.h).
template <class I>
class SampledSelection {
 public:
  SampledSelection(std::size_t items, std::size_t positions)
      : draws_all_(!ThompsonSelection::is_for(items, positions)),
        many_(draws_all_ ? 1 : items, positions, I::kOptimistic) {}

  /// Whether every item is scored in every round. Ties are then broken by a hash of (key, item).
  bool draws_all() const { return draws_all_; }

  void select(const I& index, std::uint64_t key, std::span<const Counts> counts,
              std::span<const Item> taken, std::span<Item> best) {
    if (!draws_all_ && taken.empty()) return many_.select(subkey(key, kIndexKey), counts, best);
    const std::span<Scored> scored = scores_(index, counts);
    for (const Item e : taken) scored[e].score = -1;
    select_best(scored, best.size(), Better(TieBreak(key)));
    for (std::size_t n = 0; n < best.size(); ++n) best[n] = scored[n].item;
  }

  void changed(std::span<const Item> items, std::span<const Counts> counts) {
    if (draws_all_) return;
    for (const Item e : items) many_.changed(e, counts[e]);
  }

  void start_over() { many_.start_over(); }

  /// Before counts change, and to continue a run from a file: see ThompsonSelection.
  void settle(std::span<const Counts> counts) {
    if (!draws_all_) many_.settle(counts);
  }
  std::optional<std::array<double, 3>> settled() const { return many_.settled(); }
  void restore(const std::array<double, 3>& settled) { many_.restore(settled); }

 private:
  bool draws_all_;
  ThompsonSelection many_;
  AllScores<I> scores_;
};

}  // namespace dcmrank
