#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "dcmrank/index/index.h"

namespace dcmrank {

/// A way to find the items of the largest indices. What it remembers between lists only saves work.
///
/// - select: fills `best` with the items of the largest indices of this round, the largest first;
///   `taken` are left out. `key` is the round's: ties, and whatever else is random, are functions
///   of it. `counts` are those of all items.
/// - changed: the counts of these items may have changed since the last select.
/// - start_over: any counts may have changed, and the clock of the index may have gone back.
///
/// One thread at a time. best_items.h chooses the one for an index.
template <class S, class I>
concept Selection = Index<I> && std::copyable<S> &&
    std::constructible_from<S, std::size_t /*items*/, std::size_t /*positions*/> &&
    requires(S selection, const I& index, std::uint64_t key, std::span<const Counts> counts,
             std::span<const Item> items, std::span<Item> best) {
  { selection.select(index, key, counts, items, best) } -> std::same_as<void>;
  { selection.changed(items, counts) } -> std::same_as<void>;
  { selection.start_over() } -> std::same_as<void>;
};

/// Subkeys of a round's key that are not those of items.
inline constexpr std::uint64_t kIndexKey = std::uint64_t{1} << 32;  // above every Item
inline constexpr std::uint64_t kLeadersKey = kIndexKey + 1;

}  // namespace dcmrank
