// Comparisons that are overdue. Items that stand where they always stood are doubted as much as the
// examination of their position. Where a few clicks had bad luck, Thompson sampling on that doubt
// asks so seldom whether they should stand higher that a run may end first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dcmrank/browsing/fit.h"
#include "dcmrank/placement/placement.h"

namespace dcmrank {

/// The subkey of a round's key for which comparison it makes, above every Item.
inline constexpr std::uint64_t kOverdueKey = (std::uint64_t{1} << 32U) + 3;

class OverdueComparison {
 public:
  /// Room for so many scales: no round allocates.
  explicit OverdueComparison(std::size_t scales = 0) : between_(scales), follows_(scales) {}

  /// `x`: a draw of how far the scale of each position below the first may be off (BrowsingFit). On
  /// one page in four, for one position and the one for the next better item, by `key`: if the draw
  /// takes the items there for less than they may well be after so many pages, compared with those
  /// at the other, x becomes the draw that is as bold, all else following. How much that is grows
  /// as log(pages / looks), the looks being those that what is known is worth: more slowly than
  /// they come, so that what is shown rightly is hardly ever disturbed. O(K^2).
  void ask(const BrowsingFit& fit, const PositionOrder& order, std::uint64_t pages,
           std::uint64_t key, std::span<double> x);

 private:
  std::vector<double> between_;  // the two positions, as a direction of x
  std::vector<double> follows_;  // the covariance with it
};

}  // namespace dcmrank
