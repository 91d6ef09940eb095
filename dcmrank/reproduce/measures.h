#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "dcmrank/sim/experiment.h"

namespace dcmrank {

// All results of a reproduction have one seed, and policies on one problem have equally many runs:
// run r of each meets the same users, so all comparisons are made run by run (numeric/summary.h).

/// The regret of a minus that of b.
Summary difference(const PolicyResult& a, const PolicyResult& b);

/// The regret of a divided by that of b.
Summary ratio(const PolicyResult& a, const PolicyResult& b);

/// The regret at the end divided by that after `step` steps, which must be a step of the curve.
Summary growth_since(std::uint64_t step, const PolicyResult& result);

/// Two regrets and their difference, with as many digits as it takes for these to agree: "295 < 604
/// (by 309 ± 5)". Where twice the error of the difference does not tell which is larger, "132 ≈ 130
/// (by -2 ± 8)".
std::string compared(const PolicyResult& a, const PolicyResult& b);

/// The least-squares line y = intercept + slope x and the share of the variance it explains.
struct Line {
  double intercept = 0;
  double slope = 0;
  double r_squared = 0;
};
Line fit_line(std::span<const double> x, std::span<const double> y);

}  // namespace dcmrank
