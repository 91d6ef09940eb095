#pragma once

#include "dcmrank/fit/fitted.h"
#include "dcmrank/fit/sample.h"

namespace dcmrank {

/// The list parameter of a DCM.
inline constexpr const char* kTermination = "termination";

/// Fits a DCM by EM (em.h) on its exact likelihood; `fitted` has the estimates of counting. The
/// likelihood of a list with last click l is
///   prod_{i<l} [w_i (1 - v_i)]^{c_i} (1 - w_i)^{1 - c_i} . w_l . (v_l + (1 - v_l) prod_{j>l} (1 -
///   w_j))
/// and the probability that the user stopped at l is q = v_l / (v_l + (1 - v_l) prod_{j>l} (1 -
/// w_j)): items below l are observed, and skipped, with probability 1 - q. `shown` of the items
/// becomes the expected number of observations.
void improve_by_em(const Sample& sample, const FitOptions& options, FittedModel& fitted);

}  // namespace dcmrank
