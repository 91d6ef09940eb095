#pragma once

#include <algorithm>
#include <cmath>

#include "dcmrank/model/counts.h"

namespace dcmrank {

struct Interval {
  double low = 0;
  double high = 1;

  bool operator==(const Interval&) const = default;
};

/// Wilson's 95 % score interval of a probability; [0, 1] if nothing was observed. It assumes
/// independent trials: for EM's expected counts it is too narrow.
inline Interval wilson_interval(const Counts& counts) {
  constexpr double z = 1.959963984540054;
  const double n = counts.observed;
  if (!(n > 0)) return {};
  const double p = std::min(1.0, counts.attracted / n);
  const double centre = (p + z * z / (2 * n)) / (1 + z * z / n);
  const double half = z / (1 + z * z / n) * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n));
  // Exactly 0 or 1 where nothing, or everything, was a success.
  return {p > 0 ? std::max(0.0, centre - half) : 0, p < 1 ? std::min(1.0, centre + half) : 1};
}

}  // namespace dcmrank
