#pragma once

#include <cstdint>
#include <vector>

namespace dcmrank {

/// The steps at which a regret curve of n steps is recorded: 100 evenly spaced ones for plots with
/// a linear axis and 20 per decade for logarithmic ones, strictly increasing, ending at n.
std::vector<std::uint64_t> curve_steps(std::uint64_t n);

/// The step that ends the first half of a run; it is among the steps of its curve.
constexpr std::uint64_t half_of(std::uint64_t n) { return n / 2 + n % 2; }

}  // namespace dcmrank
