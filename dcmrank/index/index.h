#pragma once

#include <concepts>
#include <cstdint>

#include "dcmrank/model/counts.h"
#include "dcmrank/model/interaction.h"

namespace dcmrank {

/// A rule that scores items by their counts: the larger, the more worth showing. begin_round takes
/// the round t and a random key; from then on the score is a function of (item, counts), so it does
/// not matter in which order, or whether at all, a selection algorithm asks for the scores. A score
/// may be infinite, but must be a number.
template <class I>
concept Index = std::copyable<I> && requires(I index, const I& ready, std::uint64_t t,
                                             std::uint64_t key, Item item, const Counts& counts) {
  { index.begin_round(t, key) } -> std::same_as<void>;
  { ready(item, counts) } -> std::same_as<double>;
};

}  // namespace dcmrank
