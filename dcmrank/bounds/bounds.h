#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dcmrank/model/dcm.h"

namespace dcmrank {

/// The regret bounds of Sec. 4. All take items and positions in any order (the paper's "without
/// loss of generality" is a sort) and n >= 1 steps; for one or two they are those of three, since
/// regret only grows. +infinity where alpha = 0, that is where an item has attraction 1 and K > 1.
///
/// Pairs of items with no gap add nothing: exchanging them costs no regret. An item that ties with
/// the last of the best is counted by its gap to the next better one, whose place it can take.
/// Where no list is better than another (equal items; every item in every list, at equal positions;
/// no user ever satisfied) the regret of every policy is 0, and so are the bounds.

/// alpha = (1 - p_max)^(K - 1).
double alpha(const Dcm& dcm);

/// The constants of Garivier and Cappe for a suboptimal mean a < b: r in (a, b) solves
/// d(r, b) = d(a, b) / (1 + epsilon); C2 = 1 / (1 - exp(-d(r, a))); beta = (1 + epsilon) d(r, a) /
/// d(a, b). The paper only cites them.
struct DeviationConstants {
  double c2;
  double beta;
};
DeviationConstants deviation_constants(double a, double b, double epsilon);

/// Proposition 1: the cascade regret R_i(n) for the first i positions, 1 <= i <= K.
double proposition1(const Dcm& dcm, std::size_t i, std::uint64_t steps, double epsilon);

/// Theorem 1; nothing unless all termination probabilities are equal.
std::optional<double> theorem1(const Dcm& dcm, std::uint64_t steps, double epsilon);

/// Theorem 2, for any termination probabilities.
double theorem2(const Dcm& dcm, std::uint64_t steps, double epsilon);

/// Theorem 3: the factor of log n in the asymptotic lower bound; nothing unless the problem is of
/// the class B_LB.
std::optional<double> theorem3(const Dcm& dcm);

/// All of them, the upper bounds at the epsilon that minimises Theorem 2.
struct Bounds {
  double alpha = 0;
  std::vector<double> proposition1;  // i = 1, ..., K
  std::optional<double> theorem1;
  double theorem2 = 0;
  double epsilon = 0;
  std::optional<double> lower_per_log_n;
  bool lists_differ = false;  // a list is better than another
};
Bounds bounds(const Dcm& dcm, std::uint64_t steps);

}  // namespace dcmrank
