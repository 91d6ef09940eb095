#include "measure.h"

#include <algorithm>
#include <cmath>

#include "dcmrank/base/parallel.h"

namespace dcmrank::bench {

Rows measure(const Problems& problems, std::span<const std::string> policies,
             const ExperimentOptions& options) {
  Rows rows;
  for (const NamedProblem& problem : problems) {
    rows.push_back({problem, std::vector<PolicyResult>(policies.size())});
  }
  // One problem: its runs in parallel. Many: the problems.
  ExperimentOptions each = options;
  each.threads = problems.size() > 1 ? 1 : options.threads;
  const unsigned threads = problems.size() > 1 ? resolve_threads(options.threads) : 1;
  parallel_for(problems.size() * policies.size(), threads, [&](std::size_t job) {
    Row& row = rows[job / policies.size()];
    const std::vector<PolicySpec> one{parse_policy_spec(policies[job % policies.size()])};
    row.results[job % policies.size()] = compare(row.problem.dcm, one, each).front();
  });
  return rows;
}

Summary regret_at(const PolicyResult& result, double fraction) {
  const auto step = static_cast<std::uint64_t>(
      std::llround(fraction * static_cast<double>(result.curve_steps.back())));
  const auto at = std::lower_bound(result.curve_steps.begin(), result.curve_steps.end(), step);
  return result.curve[static_cast<std::size_t>(at - result.curve_steps.begin())];
}

double late_share(const PolicyResult& result) {
  if (result.regret.mean <= 0) return 0;
  return 1 - regret_at(result, .5).mean / result.regret.mean;
}

bool looks_linear(const PolicyResult& result) {
  return result.regret.mean > 20 && late_share(result) >= .5;
}

}  // namespace dcmrank::bench
