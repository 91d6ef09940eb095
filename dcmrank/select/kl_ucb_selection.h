#pragma once

#include <cstddef>
#include <span>
#include <variant>

#include "dcmrank/select/flat_selection.h"
#include "dcmrank/select/kinetic_selection.h"

namespace dcmrank {

/// The best items by a KL-UCB index: the list that comparing all indices gives (the oracle of
/// selection_test.cpp), found in the way that is fastest for the number of items.
class KlUcbSelection {
 public:
  /// Up to here looking at the bounds of all is faster (docs/performance.md).
  static constexpr std::size_t kMostFlat = 400;

  explicit KlUcbSelection(std::size_t items) : way_(make(items)) {}

  /// The counts of these items may have changed; `counts` are those of all items.
  void forget(std::span<const Item> items, std::span<const Counts> counts) {
    if (auto* flat = std::get_if<FlatSelection>(&way_)) {
      flat->forget(items);
    } else {
      for (const Item e : items) std::get<KineticSelection>(way_).forget(e, counts[e]);
    }
  }

  /// Any counts may have changed, and the clock may go back.
  void forget_all() {
    std::visit([](auto& way) { way.forget_all(); }, way_);
  }

  /// Fills `best` with the items of the largest indices, the largest first, ties by `ties`.
  /// `taken` are left out.
  template <ClockedKlUcb I>
  void select(const I& index, std::span<const Counts> counts, std::span<const Item> taken,
              TieDraws& ties, std::span<Item> best) {
    if (auto* flat = std::get_if<FlatSelection>(&way_)) {
      flat->select(index, counts, taken, ties, best);
    } else {
      std::get<KineticSelection>(way_).select(index, counts, taken, ties, best);
    }
  }

 private:
  using Way = std::variant<FlatSelection, KineticSelection>;
  static Way make(std::size_t items) {
    return items <= kMostFlat ? Way(FlatSelection(items)) : Way(KineticSelection(items));
  }

  Way way_;
};

}  // namespace dcmrank
