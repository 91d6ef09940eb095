#pragma once

#include "dcmrank/model/counts.h"

namespace dcmrank {

/// What is believed before anything is counted: A successes and B failures. 0,0 is the raw ratio.
struct Prior {
  double successes = 1;
  double failures = 1;

  /// What is expected of what was never counted; 1/2 without a prior.
  double mean() const {
    const double total = successes + failures;
    return total > 0 ? successes / total : 0.5;
  }

  bool operator==(const Prior&) const = default;
};

/// (attracted + A) / (observed + A + B): the only place where a prior meets counts.
inline double estimate(const Counts& counts, const Prior& prior) {
  const double total = counts.observed + prior.successes + prior.failures;
  return total > 0 ? (counts.attracted + prior.successes) / total : prior.mean();
}

}  // namespace dcmrank
