#pragma once

#include <span>
#include <string>
#include <vector>

#include "dcmrank/sim/experiment.h"
#include "problems.h"

namespace dcmrank::bench {

/// One problem under every policy, in their order.
struct Row {
  NamedProblem problem;
  std::vector<PolicyResult> results;
};
using Rows = std::vector<Row>;

/// Simulates every policy on every problem; the result depends on the options' seed alone.
Rows measure(const Problems& problems, std::span<const std::string> policies,
             const ExperimentOptions& options);

/// The mean regret after the given fraction of the steps, at a step of the curve.
Summary regret_at(const PolicyResult& result, double fraction);

/// The share of the regret that the second half of the steps brought.
double late_share(const PolicyResult& result);

/// Linear, as far as a finite run can tell: a regret above 20 of which the second half of the steps
/// brought half or more.
bool looks_linear(const PolicyResult& result);

}  // namespace dcmrank::bench
