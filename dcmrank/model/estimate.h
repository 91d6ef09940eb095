#pragma once

#include <algorithm>

#include "dcmrank/model/counts.h"
#include "dcmrank/model/termination_counts.h"

namespace dcmrank {

/// The only place where a prior meets the counts.

/// S / T, the mean of what was observed; 1/2 where nothing was.
inline double mean(const Counts& counts) {
  return counts.observed > 0 ? std::min(1.0, counts.attracted / counts.observed) : 0.5;
}

/// (S + 1) / (T + 2), the posterior mean under a uniform prior: never 0 and never 1.
inline double posterior_mean(const Counts& counts) {
  return (counts.attracted + 1) / (counts.observed + 2);
}

/// (B + 1) / (N + 2), likewise, of a termination.
inline double posterior_mean(const TerminationCounts& counts) {
  return (counts.terminated + 1) / (counts.clicked + 2);
}

}  // namespace dcmrank
