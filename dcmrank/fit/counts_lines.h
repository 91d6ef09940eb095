#pragma once

#include <string_view>

namespace dcmrank {

/// The words of a counts file that its printer and its reader share.
inline constexpr std::string_view kCountsFormat = "dcmrank.counts";
inline constexpr std::string_view kHolds = "holds";
inline constexpr std::string_view kHoldsTails = "tails";
inline constexpr std::string_view kHoldsChains = "chains";
inline constexpr std::string_view kHoldsPositions = "positions";
inline constexpr std::string_view kHoldsContexts = "contexts";

}  // namespace dcmrank
