#pragma once

#include <algorithm>
#include <utility>

namespace dcmrank {

/// What is remembered of the pages that left one item or one position in doubt: how many they were,
/// and the sum of the weights that they were given.
struct Doubt {
  double pages = 0;
  double weight = 0;

  bool operator==(const Doubt&) const = default;
};

/// Enters one more page in doubt, of which the present belief says `weight`, and returns what it
/// adds to the counts (less than 0 where earlier pages lose more). With revision = 1 that is the
/// weight itself. But the weights of earlier pages came from earlier, worse beliefs, and beliefs
/// from the weights: where little is certain, counts that only add up converge like n^-lambda,
/// lambda the share of the information that is observed, which may be far below 1/2. With revision
/// = c the average weight moves c times as far towards the new one, which gives n^-min(c lambda,
/// 1/2) (stochastic approximation with the step c / n).
inline double enter(Doubt& doubt, double weight, double revision) {
  const double average = doubt.pages > 0 ? doubt.weight / doubt.pages : 0;
  doubt.pages += 1;
  const double sum =
      doubt.weight + weight + (std::min(revision, doubt.pages) - 1) * (weight - average);
  const double before = std::exchange(doubt.weight, std::clamp(sum, 0.0, doubt.pages));
  return doubt.weight - before;
}

}  // namespace dcmrank
