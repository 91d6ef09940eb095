#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "dcmrank/sim/experiment.h"

namespace dcmrank {

/// The unit of work of everything that simulates many policies on many problems: one policy on one
/// problem. Because a run depends on the seed and its number alone, equal trials have equal
/// results, whatever they are needed for.
struct Trial {
  Problem problem;
  std::string policy;  // as a user names it
  std::uint64_t steps = 0;
  std::uint64_t runs = 0;
  std::size_t delay = 0;
  ScreenDepths depths{};
  bool curves_per_run = true;  // keep the curve of every run besides their summary

  std::uint64_t work() const { return steps * runs; }
};

/// Finished trials, kept as files in a folder, so that interrupted work continues where it stopped.
/// A result is kept whole or not at all, and found again by all that it depends on: the program,
/// the trial and the seed. What is damaged is computed again. `program` names the build: another
/// build computes all again. Processes that share the folder find each other's results.
class TrialStore {
 public:
  TrialStore(std::filesystem::path folder, std::string program, std::uint64_t seed,
             unsigned threads)
      : folder_(std::move(folder)), program_(std::move(program)), seed_(seed), threads_(threads) {}

  bool has(const Trial& trial) const;

  /// The results of the trials: kept, or computed now, all together, and kept as they come. Equal
  /// trials are computed once. Throws before the work if a policy cannot be made, and Interrupted
  /// when asked to stop; what was finished by then is kept.
  std::vector<PolicyResult> get(std::span<const Trial> trials,
                                const ExperimentControl& control) const;

 private:
  void keep(const nlohmann::ordered_json& key, const PolicyResult& result) const;
  nlohmann::ordered_json key(const Trial& trial) const;
  std::filesystem::path file(const nlohmann::ordered_json& key) const;

  std::filesystem::path folder_;
  std::string program_;
  std::uint64_t seed_;
  unsigned threads_;
};

/// Every `of`-th of the trials, from number `part` (1 to `of`) on: what one of several processes or
/// machines does. All parts together are all trials.
struct GridPart {
  std::uint64_t part = 1;
  std::uint64_t of = 1;
};
std::vector<Trial> trials_of(const GridPart& part, std::span<const Trial> trials);

/// "2/5". Throws InputError beginning with `option`.
GridPart parse_grid_part(const std::string& option, const std::string& text);

/// Removes the results that are kept in a folder, and nothing else.
void forget_trials(const std::filesystem::path& folder);

}  // namespace dcmrank
