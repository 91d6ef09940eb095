#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dcmrank/base/same_version.h"

namespace dcmrank {

/// An item of the ground set E = {0, ..., L-1} (the paper counts from 1; so do files and commands
/// where they show positions).
using Item = std::uint32_t;

/// A list as it was shown: `items`, from the top, and what its policy must remember with it until
/// the clicks come. Your own policy may ignore the rest, or use it as it likes.
struct Ranking {
  std::vector<Item> items;
  /// The item each position asked for, in ranked bandits that may ask for one already placed above;
  /// otherwise empty.
  std::vector<Item> proposed;
  /// What a click at each position is worth, in bandits that weigh a click by the probability with
  /// which its item was chosen; otherwise empty.
  std::vector<double> gains;
  /// A list of the initialisation of Sec. 3.3: only its first position is learned from.
  bool initial = false;

  bool operator==(const Ranking&) const = default;
};

/// What was observed on one shown list: an entry for every position that was on the screen, from
/// the top, non-zero where the user clicked (c_t of Sec. 3.1).
using Clicks = std::span<const std::uint8_t>;

/// Position of the last click, counted from 1; 0 when there is none.
inline std::size_t last_click(Clicks clicks) {
  std::size_t last = 0;
  // Looks at all: the processor cannot predict a branch on what users did.
  for (std::size_t k = 0; k < clicks.size(); ++k) last = clicks[k] != 0 ? k + 1 : last;
  return last;
}

/// How many positions, from the top, are certain to have been examined (Sec. 3.2): those up to the
/// last click C_last; all of them when there is no click (max of the empty set = +infinity). `last`
/// is last_click(), `size` how many positions were on the screen.
inline std::size_t observed_prefix(std::size_t last, std::size_t size) {
  return last == 0 ? size : last;
}
inline std::size_t observed_prefix(Clicks clicks) {
  return observed_prefix(last_click(clicks), clicks.size());
}

}  // namespace dcmrank
