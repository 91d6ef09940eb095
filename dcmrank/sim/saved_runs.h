#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "dcmrank/sim/experiment.h"
#include "dcmrank/sim/run.h"

namespace dcmrank {

/// One policy at the end of a simulation, as it is in each of its runs: what a later simulation
/// continues with.
struct SavedRuns {
  PolicySpec policy;
  Problem problem;            // that it was made for
  std::uint64_t horizon = 0;  // and for how many users
  std::uint64_t seed = 0;
  std::uint64_t first_run = 0;
  std::uint64_t users = 0;  // whom it has met
  std::vector<SimulatedPolicy> runs;
};

/// New policies for all runs. Throws InputError for one that cannot be saved.
SavedRuns new_runs(const Problem& problem, const PolicySpec& policy,
                   const ExperimentOptions& options);

/// dcmrank.simulated-policy (docs/formats.md). Reading throws InputError that begins with `source`.
nlohmann::ordered_json saved_runs_to_json(const SavedRuns& saved);
SavedRuns saved_runs_from_json(const nlohmann::ordered_json& json, const std::string& source);

/// compare() with policies that may have learned before and are kept afterwards; all have met
/// options.first_step users. The problem may be another one of the same size.
std::vector<PolicyResult> compare_saved(const Problem& problem, std::vector<SavedRuns>& policies,
                                        const ExperimentOptions& options,
                                        const ExperimentControl& control);

}  // namespace dcmrank
