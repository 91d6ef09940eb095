#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "dcmrank/select/flat_selection.h"
#include "dcmrank/select/kinetic_selection.h"

namespace dcmrank {

/// The best items by a KL-UCB index: the list that comparing all indices gives (the oracle of
/// selection_test.cpp), found in the way that is fastest for the number of items. A Selection
/// (selection.h).
class KlUcbSelection {
 public:
  /// Up to here looking at the bounds of all is faster (docs/performance.md).
  static constexpr std::size_t kMostFlat = 400;

  explicit KlUcbSelection(std::size_t items, std::size_t /*positions*/ = 0) : way_(make(items)) {}

  void changed(std::span<const Item> items, std::span<const Counts> counts) {
    if (auto* flat = std::get_if<FlatSelection>(&way_)) {
      flat->changed(items);
    } else {
      for (const Item e : items) std::get<KineticSelection>(way_).changed(e, counts[e]);
    }
  }

  void start_over() {
    std::visit([](auto& way) { way.start_over(); }, way_);
  }

  template <ClockedKlUcb I>
  void select(const I& index, std::uint64_t key, std::span<const Counts> counts,
              std::span<const Item> taken, std::span<Item> best) {
    TieDraws ties(key);
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
