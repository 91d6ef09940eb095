#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dcmrank/sweep/sweep.h"

namespace dcmrank {

inline SweepPlan mixed_plan() {
  return parse_sweep(
      "policies = ['dcm-kl-ucb', 'dcm-ts:counting=first-click']\nsteps = [100, 200]\nruns = 3\n"
      "[[problems]]\nclass = 'lb'\nL = 8\nK = [2, 3]\np = 0.3\ngap = 0.2\ngamma = [0.5, 1]\n"
      "[[problems]]\nrandom = 'ccm'\ncount = 1\n",
      "s.toml");
}

inline std::vector<SweepCell> cells_of(const SweepPlan& plan) {
  std::vector<PolicyResult> results;
  for (const Trial& trial : trials_of(plan)) {
    const std::vector policies{parse_policy_spec(trial.policy)};
    results.push_back(compare(trial.problem, policies,
                              {.steps = trial.steps, .runs = trial.runs, .seed = plan.seed})
                          .front());
  }
  return sweep_cells(plan, std::move(results));
}

inline std::size_t column(const DataTable& table, const std::string& name) {
  const auto at = std::find(table.heading.begin(), table.heading.end(), name);
  EXPECT_NE(at, table.heading.end()) << name;
  return static_cast<std::size_t>(at - table.heading.begin());
}

}  // namespace dcmrank
