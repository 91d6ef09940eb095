#pragma once

#include <cstddef>
#include <span>

#include "dcmrank/model/counts.h"
#include "dcmrank/model/interaction.h"

namespace dcmrank {

/// What a pair (list, clicks) teaches about the attraction of the items shown. This file is the
/// only place that says so.
enum class Counting {
  kPrefix,      // Sec. 3.2: everything up to the last click, as published
  kFirstClick,  // Sec. 5.2: only the first click is kept; nothing below it is observed
  kLastClick,   // Sec. 5.2: only the last click is kept; clicks above it become skips
};

/// Adds to the items' counts what the clicks on `list` teach under `counting`. Only the positions
/// on the screen (clicks.size() of them) are considered. O(K), no allocation.
inline void count(Counting counting, std::span<const Item> list, Clicks clicks,
                  std::span<Counts> counts) {
  const std::size_t observed = observed_prefix(clicks);
  for (std::size_t k = 0; k < observed; ++k) {
    const bool click = clicks[k] != 0;
    const bool kept = counting != Counting::kLastClick || k + 1 == observed;
    counts[list[k]].add(click && kept);
    if (counting == Counting::kFirstClick && click) return;
  }
}

}  // namespace dcmrank
