#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "dcmrank/model/counts.h"
#include "dcmrank/model/termination_counts.h"

namespace dcmrank {

/// What is remembered about the pages that left one item or one position in doubt: their number,
/// the sum of the weights they were given, and the sum they would be given now, by which the next
/// page is judged.
struct Doubt {
  double pages = 0;
  double weight = 0;
  double believed = 0;

  bool operator==(const Doubt&) const = default;
};

/// Records one more page in doubt, to which the present belief gives `weight`, and returns what it
/// adds to the counts: the weight itself. With pages = 0 it records none.
inline double enter(Doubt& doubt, double weight, double pages = 1) {
  doubt.pages += pages;
  doubt.weight += pages * weight;
  doubt.believed = doubt.weight;
  return pages * weight;
}

/// The same for one page, which also revises earlier pages (so the result may be below 0). The
/// weights of earlier pages came from earlier, worse beliefs, and beliefs from the weights: where
/// little is certain, counts that only add up converge like n^-lambda, lambda the share of the
/// information that is observed, which may be next to nothing. So the average by which pages are
/// judged moves towards each new weight by a step of n^-5/8, which forgets early errors whatever
/// lambda is but stays noisy, and the average that is counted moves towards that one by 4 / n,
/// which smooths the noise away (stochastic approximation with averaging: Polyak and Juditsky, SIAM
/// J. Control Optim. 1992).
inline double enter_revising(Doubt& doubt, double weight) {
  const double earlier = std::max(1.0, doubt.pages);
  doubt.pages += 1;
  const double n = doubt.pages;
  const double root = std::sqrt(n);  // roots alone: their bits are the same on every machine
  const double eighth_root = std::sqrt(std::sqrt(root));
  const auto average = [&](double sum) { return std::clamp(sum / earlier, 0.0, 1.0); };
  const auto step_towards = [&](double target, double from, double step) {
    return from + std::min(1.0, step) * (target - from);
  };
  const double belief = step_towards(weight, average(doubt.believed), 1 / (root * eighth_root));
  doubt.believed = belief * n;
  const double counted = step_towards(belief, average(doubt.weight), 4 / n) * n;
  const double before = std::exchange(doubt.weight, counted);
  return counted - before;
}

/// The counts with the present belief in place of what was counted.
inline Counts believed(const Counts& counts, const Doubt& doubt) {
  return {counts.observed + (doubt.believed - doubt.weight), counts.attracted};
}
inline TerminationCounts believed(const TerminationCounts& counts, const Doubt& doubt) {
  return {counts.clicked, counts.terminated + (doubt.believed - doubt.weight)};
}

}  // namespace dcmrank
