// What the tests of the index share.
#pragma once

#include <cmath>

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include "dcmrank/model/counts.h"
#include "dcmrank/random/rng.h"

namespace dcmrank {

// Runs the test body with each instruction set that this machine and this program have.
template <class Body>
void for_each_target(Body body) {
  for (const auto target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(target);
    SCOPED_TRACE(hwy::TargetName(target));
    body();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

inline Counts some_counts(Rng& rng) {
  const double observed = std::floor(std::exp(14 * rng.uniform()));
  switch (rng.below(5)) {
    case 0:
      return {observed, 0};
    case 1:
      return {observed, observed};
    case 2:
      return {observed + rng.uniform(), observed * rng.uniform()};
    case 3:
      return {0, 0};
    default:
      return {observed, std::floor((observed + 1) * rng.uniform())};
  }
}

}  // namespace dcmrank
