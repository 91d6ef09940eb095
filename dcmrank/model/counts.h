#pragma once

#include "dcmrank/base/same_version.h"

namespace dcmrank {

/// What has been seen of one Bernoulli variable: `observed` trials of which `attracted` succeeded.
/// A monoid under merge; a prior is applied only when estimating. Fractional where a trial was
/// observed with a probability.
struct Counts {
  double observed = 0;
  double attracted = 0;

  void add(bool success) {
    observed += 1;
    attracted += success ? 1 : 0;
  }

  void merge(const Counts& other) {
    observed += other.observed;
    attracted += other.attracted;
  }

  bool operator==(const Counts&) const = default;
};

}  // namespace dcmrank
