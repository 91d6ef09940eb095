#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "dcmrank/sim/experiment.h"

namespace dcmrank {

/// The unit of work of a reproduction: one policy on one problem. Because a run depends on the
/// seed and its number alone, trials of several figures that are the same are computed once.
struct Trial {
  Dcm problem;
  std::string policy;
  std::uint64_t steps = 0;
  std::uint64_t runs = 0;

  std::uint64_t work() const { return steps * runs; }
};

/// Finished trials, kept as files in a folder so that an interrupted reproduction continues where
/// it stopped. `program` names the build: another build computes them again. One process at a time.
class TrialStore {
 public:
  TrialStore(std::filesystem::path folder, std::string program, std::uint64_t seed,
             unsigned threads)
      : folder_(std::move(folder)), program_(std::move(program)), seed_(seed), threads_(threads) {}

  bool has(const Trial& trial) const;

  /// The results of the trials: kept, or computed now, all together, and kept as they come.
  std::vector<PolicyResult> get(std::span<const Trial> trials,
                                const ExperimentControl& control) const;

 private:
  void keep(const Trial& trial, const PolicyResult& result) const;
  nlohmann::ordered_json key(const Trial& trial) const;
  std::filesystem::path file(const nlohmann::ordered_json& key) const;

  std::filesystem::path folder_;
  std::string program_;
  std::uint64_t seed_;
  unsigned threads_;
};

/// A name for the build that is running: a hash of the program's own file.
std::string running_program();

}  // namespace dcmrank
