#pragma once

#include <span>
#include <vector>

#include "dcmrank/select/plain_selection.h"

namespace dcmrank {

/// The list that every other selection must find.
template <Index I>
std::vector<Item> plain_list_of(const I& index, std::span<const Counts> counts,
                                std::span<const Item> taken, std::uint64_t key, std::size_t count) {
  std::vector<Item> best(count);
  PlainSelection(counts.size(), count).select(index, key, counts, taken, best);
  return best;
}

}  // namespace dcmrank
