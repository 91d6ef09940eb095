// Two-sided bounds of KL-UCB indices that cost a division and a few multiplications instead of the
// solution of an equation. The index U is a function of the mean m and the budget of one
// observation, d: the largest q with D(m || q) <= d, which is concave in (m, d) because D is convex
// in (m, q). So its tangent plane at one point bounds it from above everywhere, and its curvature
// from below nearby (docs/index_bounds.md).
#pragma once

#include <cmath>

namespace dcmrank {

/// The tangent plane at (mean, D(mean || q), q), and how far from there it bounds from below. At
/// first, nothing is known.
struct KlUcbPlane {
  /// Far above the errors of stored planes and of the index, far below what matters.
  static constexpr double kMargin = 1e-11;
  static constexpr double kUnknown = 1 + kMargin;
  static constexpr double kTooFar = 1e300;  // beyond every reach
  /// What the bounds from below are made of (docs/index_bounds.md).
  static constexpr double kDriftOfMove = 1.16;
  static constexpr double kDriftOfSway = 1.46;
  static constexpr double kMissedBySway = 1.43;
  static constexpr double kMissedByBend = 1.34;

  double base = kUnknown;
  double by_mean = 0;
  double by_budget = 0;  // of one observation
  double q = 1;
  double mean = 0;
  double sway = 0;         // what the mean's moves cost
  double mean_reach = -1;  // how far it may move
  double bend = 0;         // what the moves of q - mean cost
  double reach = -1;       // how far it may move
};

/// What a move of the mean costs in the bounds below.
inline double sway_of(double shift, double sway, double mean_reach) {
  const double cost = sway * shift * shift;
  return std::abs(shift) <= mean_reach ? cost : KlUcbPlane::kTooFar;
}

/// At most the index, given the upper bound; -1 where nothing is known. `origin` is where the index
/// would be if it had moved by as much as the mean.
inline double lower_bound(double upper, double origin, double sway, double bend, double reach) {
  const double drift =
      KlUcbPlane::kDriftOfMove * std::abs(upper - origin) + KlUcbPlane::kDriftOfSway * sway;
  const double missed =
      KlUcbPlane::kMissedBySway * sway + KlUcbPlane::kMissedByBend * bend * drift * drift;
  const double lower = upper - 2 * KlUcbPlane::kMargin - missed;
  return drift <= reach ? lower : -1;
}

}  // namespace dcmrank
