#pragma once

#include <string>
#include <vector>

#include "dcmrank/sim/saved_runs.h"

namespace dcmrank::command {

/// A folder with a file for every policy of a simulation (--save-policies, --load).

/// The folder that policies will be saved in, for one simulation at a time: those of two would be
/// mixed.
class PolicyFolder {
 public:
  /// Makes the folder. Throws InputError if it cannot be made, is in use or has policies already.
  explicit PolicyFolder(std::string folder);
  ~PolicyFolder();
  PolicyFolder(const PolicyFolder&) = delete;
  PolicyFolder& operator=(const PolicyFolder&) = delete;
  PolicyFolder(PolicyFolder&&) = delete;
  PolicyFolder& operator=(PolicyFolder&&) = delete;

  /// Everything is on the disk before the first file appears: a full disk leaves none.
  void save(const std::vector<SavedRuns>& policies) const;

 private:
  std::string folder_;
  int descriptor_ = -1;
};

/// All policies of a folder, in the order in which they were given; seed, runs and users met are
/// set in `options`. Throws InputError if there are none, or they are of different simulations.
std::vector<SavedRuns> load_policies(const std::string& folder, ExperimentOptions& options);

}  // namespace dcmrank::command
