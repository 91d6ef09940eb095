#pragma once

#include <string>
#include <vector>

#include "dcmrank/sim/saved_runs.h"

namespace dcmrank::command {

/// A folder with a file for every policy of a simulation (--save-policies, --load).

/// Makes the folder. Throws InputError if it cannot be made or has policies already: those of
/// two simulations would be mixed.
void check_policy_folder(const std::string& folder);

void save_policies(const std::string& folder, const std::vector<SavedRuns>& policies);

/// All policies of a folder, in the order in which they were given; seed, runs and users met are
/// set in `options`. Throws InputError if there are none, or they are of different simulations.
std::vector<SavedRuns> load_policies(const std::string& folder, ExperimentOptions& options);

}  // namespace dcmrank::command
