#pragma once

#include <algorithm>

#include "dcmrank/model/counts.h"
#include "dcmrank/model/termination_counts.h"

namespace dcmrank {

/// The only place where a prior meets counts.

/// What is believed before anything is counted: A successes and B failures. 0,0 is the raw ratio.
struct Prior {
  double successes = 1;
  double failures = 1;

  /// The estimate where nothing was counted; 1/2 without a prior.
  double mean() const {
    const double total = successes + failures;
    return total > 0 ? successes / total : 0.5;
  }

  bool operator==(const Prior&) const = default;
};

/// (S + A) / (T + A + B), the posterior mean: models are fitted by it.
inline double estimate(const Counts& counts, const Prior& prior) {
  const double total = counts.observed + prior.successes + prior.failures;
  return total > 0 ? (counts.attracted + prior.successes) / total : prior.mean();
}

/// (S + 1) / (T + 2), the posterior mean under a uniform prior: never 0 and never 1. Policies learn
/// by it. Not estimate(counts, {1, 1}), which adds to T twice: where T is fractional, (T + 1) + 1
/// and T + 2 may differ in the last bit, and results must stay the same to the bit.
inline double posterior_mean(const Counts& counts) {
  return (counts.attracted + 1) / (counts.observed + 2);
}

/// (B + 1) / (N + 2), likewise for a termination.
inline double posterior_mean(const TerminationCounts& counts) {
  return (counts.terminated + 1) / (counts.clicked + 2);
}

/// S / T, the mean of what was observed, without a prior; 1/2 where nothing was.
inline double mean(const Counts& counts) {
  return counts.observed > 0 ? std::min(1.0, counts.attracted / counts.observed) : 0.5;
}

}  // namespace dcmrank
