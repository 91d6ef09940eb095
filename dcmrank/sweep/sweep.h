#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "dcmrank/base/csv.h"
#include "dcmrank/grid/trial.h"
#include "dcmrank/sim/experiment.h"
#include "dcmrank/sweep/plan.h"

namespace dcmrank {

/// One policy on one problem for one number of steps.
struct SweepCell {
  std::size_t problem = 0;  // its place in the plan
  std::uint64_t steps = 0;
  std::string policy;
  std::optional<double> floor;  // what the best sorted list loses, if that is known
  PolicyResult result;
  // By run, what its regret is above that of the plan's first policy, which met the same users.
  std::vector<double> difference_per_run{};
};

/// The trials of a plan: problems, then steps, then policies.
std::vector<Trial> trials_of(const SweepPlan& plan);

/// The cells of the plan, in the order of its trials.
std::vector<SweepCell> sweep_cells(const SweepPlan& plan, std::vector<PolicyResult> results);

/// Results before anything was simulated: they are zero.
std::vector<PolicyResult> results_before(const SweepPlan& plan);

/// The table of them.
DataTable sweep_preview(const SweepPlan& plan);

/// One tidy table: one row per cell, and a column for every parameter of the problem and of the
/// policy. The same bytes for the same plan and program.
DataTable sweep_rows(const SweepPlan& plan, const std::vector<SweepCell>& cells);

/// What a cell measured in each run, by the column of the table; empty for a column without.
std::vector<double> run_values(const SweepCell& cell, const std::string& column);

/// Whether a column of it is a result rather than a parameter.
bool is_measured(const std::string& column);

/// The same with a row for every run.
DataTable sweep_run_rows(const SweepPlan& plan, const std::vector<SweepCell>& cells);

/// dcmrank.sweep (docs/formats.md): the problems themselves, and the rows as objects.
nlohmann::ordered_json sweep_to_json(const SweepPlan& plan, const std::vector<SweepCell>& cells);

}  // namespace dcmrank
