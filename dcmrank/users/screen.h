#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dcmrank {

/// How much of a list is on the screen: entry d - 1 is the probability that a user sees only the
/// first d positions. Empty: everyone sees all.
using ScreenDepths = std::vector<double>;

/// `3` (everyone sees three positions) or `2:0.3,5:0.7` (depth:chance). The chances are weights:
/// only their ratios matter. Throws InputError for a depth outside 1..positions.
ScreenDepths parse_screen_depths(std::string_view text, std::size_t positions);

}  // namespace dcmrank
