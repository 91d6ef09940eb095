#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dcmrank/sim/experiment.h"

namespace dcmrank {

/// What one run of one policy leaves behind. The curve is the regret after each of curve_steps(n).
struct RunTrace {
  std::vector<double> curve;
  double reward = 0;
  double cpu_seconds = 0;
};

/// Run `run` of an experiment, on the calling thread. Runs that are simulated one by one, in any
/// order and anywhere, and then summarised are the result of compare().
RunTrace simulate_run(const Problem& problem, const PolicySpec& policy,
                      const ExperimentOptions& options, std::uint64_t run,
                      const ExperimentControl& control = {});

/// The same for a policy that no registry knows, which has seen nothing yet. Each of its lists is
/// checked; `name` is what messages call it.
RunTrace simulate_run(const Problem& problem, AnyPolicy policy, const std::string& name,
                      const ExperimentOptions& options, std::uint64_t run,
                      const ExperimentControl& control = {});

/// A policy in the middle of a run: what it has learned, and the generator of its choices.
struct SimulatedPolicy {
  AnyPolicy policy;
  std::string name;  // for messages
  Rng rng;
};
/// As it is before the first user of a run.
SimulatedPolicy new_policy(AnyPolicy policy, std::string name, std::uint64_t seed,
                           std::uint64_t run);

/// The users from `options.first_step` on, whose regret alone is counted; the policy learns from
/// them. A run in pieces shows the lists of the whole.
RunTrace continue_run(const Problem& problem, SimulatedPolicy& simulated,
                      const ExperimentOptions& options, std::uint64_t run,
                      const ExperimentControl& control = {});

/// One trace for each run, in their order.
PolicyResult summarise_runs(std::string policy, std::span<const RunTrace> traces,
                            const ExperimentOptions& options);

/// Throws InputError if the users' best expected reward is not a number: users that others wrote
/// may return anything.
void check_users(const Problem& problem, const ExperimentOptions& options);

/// How far a run has come, for callers that continue it in pieces.
struct RunSoFar {
  std::uint64_t step = 0;
  double regret = 0;
  double reward = 0;
};

/// `rounds` more rounds of the run (seed, run) for a policy of the registry, which learns from
/// them; its random choices come from `rng`. With `initial_sample`, the policy is given the free
/// sample of Algorithm 1 first, if it wants it. Rounds in pieces equal the rounds in one go. If
/// stopped, `so_far` says how far it came.
void play(const Problem& problem, AnyPolicy& policy, Rng& rng, std::uint64_t seed,
          std::uint64_t run, std::uint64_t rounds, bool initial_sample, RunSoFar& so_far,
          const ExperimentControl& control = {});

}  // namespace dcmrank
