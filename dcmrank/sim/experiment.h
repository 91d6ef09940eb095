#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "dcmrank/numeric/summary.h"
#include "dcmrank/registry/registry.h"
#include "dcmrank/registry/spec.h"
#include "dcmrank/users/problem.h"
#include "dcmrank/users/screen.h"

namespace dcmrank {

struct ExperimentOptions {
  std::uint64_t steps = 0;  // n
  std::uint64_t runs = 0;
  std::uint64_t seed = 0;
  unsigned threads = 0;          // 0: all cores. Results do not depend on it.
  std::size_t delay = 0;         // rounds after which a policy learns what a user did
  ScreenDepths depths{};         // how much of a list is on the screen
  bool curves_per_run = false;   // keep the curve of every run besides their summary
  std::uint64_t first_run = 0;   // its number; those before it are done elsewhere
  std::uint64_t first_step = 0;  // users that policies have met before; regret is counted from here
};

class RunJournal;

/// How a caller follows and stops a long experiment.
struct ExperimentControl {
  std::stop_token stop;                              // checked often; then Interrupted is thrown
  std::atomic<std::uint64_t>* steps_done = nullptr;  // increased as steps are simulated
};

/// What one policy did, over all runs. The curve is the cumulative regret after each of the steps.
struct PolicyResult {
  std::string policy;
  std::vector<double> regret_per_run;
  std::vector<double> half_per_run;  // the regret after the first half of the steps
  Summary regret;
  std::vector<double> reward_per_run;  // sampled, cumulative over the steps of a run
  Summary reward;
  std::vector<std::uint64_t> curve_steps;
  std::vector<Summary> curve;
  std::vector<std::vector<double>> curve_per_run;  // by step, then run; empty unless asked for
  double ns_per_step = 0;                          // CPU time
};

/// One policy on one problem.
struct Experiment {
  Problem problem;
  PolicySpec policy;
  ExperimentOptions options;  // its `threads` are ignored
};

/// What a policy of such a simulation is made for. It refers to the problem.
PolicyCase case_of(const Problem& problem, std::uint64_t steps);

/// Called with the number of an experiment and its result when its last run is done; one call at a
/// time, from any thread.
using OnResult = std::function<void(std::size_t, PolicyResult)>;

/// Simulates all runs of all experiments on `threads` threads, the longest first, so that all cores
/// stay busy until the end. Throws before the work if a policy cannot be made.
void run_all(std::span<const Experiment> experiments, unsigned threads,
             const ExperimentControl& control, const OnResult& on_result,
             RunJournal* journal = nullptr);

/// Simulates every policy for `runs` runs of `steps` steps on the same users. Run r of every policy
/// depends on (seed, r) alone: not on the other policies, the threads or the other runs. Policies
/// may be given what only a simulation knows (PolicyCase).
/// With a journal, runs that it has are not simulated again, and finished ones are added to it.
std::vector<PolicyResult> compare(const Problem& problem, std::span<const PolicySpec> policies,
                                  const ExperimentOptions& options,
                                  const ExperimentControl& control = {},
                                  RunJournal* journal = nullptr);

}  // namespace dcmrank
