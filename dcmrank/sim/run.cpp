#include "dcmrank/sim/run.h"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <ctime>
#include <utility>

#include <fmt/format.h>

#include "dcmrank/base/blame.h"
#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/registry/built_in.h"
#include "dcmrank/sim/checked_policy.h"
#include "dcmrank/sim/curve_steps.h"
#include "dcmrank/sim/simulation.h"
#include "dcmrank/sim/watched_users.h"
#include "dcmrank/users/dcm_users.h"

namespace dcmrank {
namespace {

double thread_cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// A policy and a generator that outlive the simulation.
template <Policy P>
struct Borrowed {
  P* policy;
  Rng* rng;
  bool initial_sample;

  void rank(Rng& /*the simulation's*/, Ranking& ranking) { policy->rank(*rng, ranking); }
  void update(const Ranking& shown, Clicks clicks) { policy->update(shown, clicks); }
  bool wants_initial_sample() const {
    if constexpr (TakesInitialSample<P>) return initial_sample && policy->wants_initial_sample();
    return false;
  }
  void observe_initial([[maybe_unused]] std::span<const std::uint8_t> sample) {
    if constexpr (TakesInitialSample<P>) policy->observe_initial(sample);
  }
};

// A long way between two steps of the curve is walked in pieces, so that stopping is prompt and
// progress is seen.
template <class Simulated>
void advance_in_pieces(Simulated& run, std::uint64_t last, RunSoFar& so_far,
                       const ExperimentControl& control) {
  constexpr std::uint64_t kPiece = 1000;
  while (run.step() < last) {
    if (control.stop.stop_requested()) throw Interrupted();
    const std::uint64_t before = run.step();
    run.advance(std::min(last, before + kPiece));
    so_far = {run.step(), run.regret(), run.reward()};
    if (control.steps_done != nullptr) *control.steps_done += run.step() - before;
  }
}

// Walks from where the run is to the last of `steps`; `curve` gets the regret after each.
template <Policy P, Users U>
void walk(Borrowed<P> policy, U users, const Shape& shape, std::size_t delay,
          std::span<const std::uint64_t> steps, RunSoFar& so_far, std::vector<double>& curve,
          const ExperimentControl& control) {
  Simulation run(policy, std::move(users), shape, *policy.rng, delay);
  run.resume(so_far.step, so_far.regret, so_far.reward);
  for (const std::uint64_t step : steps) {
    advance_in_pieces(run, step, so_far, control);
    curve.push_back(so_far.regret);
  }
}

// Policies of ours with DCM users are compiled together; everybody else pays for a call through a
// pointer.
template <class Use>
void with_users(const Problem& problem, AnyPolicy& policy, std::uint64_t seed, std::uint64_t run,
                const ScreenDepths& depths, Use use) {
  const Dcm* dcm = problem.dcm();
  if (dcm == nullptr) return use(policy, problem.users(seed, run, depths));
  visit_policy(policy, [&](auto& known) { use(known, DcmUsers(*dcm, seed, run, depths)); });
}

// What a list is worth to users of others is their own word, unless their visits contradict it.
void check_rewards(const RewardTally& tally, const std::string& who) {
  if (!tally.contradicts()) return;
  throw InputError(fmt::format(
      "{}: visit gave rewards of {:.6g} in all, where expected_reward of the same lists "
      "says {:.6g}",
      who, tally.rewards(), tally.expected()));
}

// So is how good one can be.
void check_regret(const Problem& problem, double regret, std::uint64_t steps,
                  const std::string& who) {
  constexpr double kRounding = 1e-9;
  if (regret >= -kRounding * static_cast<double>(steps) || follows_click_model(problem)) return;
  throw InputError(
      fmt::format("{}: the regret is {}, so that lists had a higher expected reward than the best",
                  who, regret));
}

}  // namespace

RunTrace continue_run(const Problem& problem, SimulatedPolicy& simulated,
                      const ExperimentOptions& options, std::uint64_t run,
                      const ExperimentControl& control) {
  const double start = thread_cpu_seconds();
  const Shape shape{problem.items(), problem.positions(), options.steps};
  auto steps = curve_steps(options.steps);
  for (std::uint64_t& step : steps) step += options.first_step;
  RunSoFar so_far{options.first_step, 0, 0};
  RunTrace trace;
  trace.curve.reserve(steps.size());
  const bool is_new = options.first_step == 0;
  bool by_policy = false;
  RewardTally tally;
  const auto with = [&]<class P, class U>(P& policy, U users) {
    if constexpr (std::same_as<U, AnyUsers>) {
      if (!follows_click_model(problem)) {
        users = WatchedUsers(std::move(users), shape.positions, tally);
      }
    }
    if constexpr (std::same_as<P, AnyPolicy>) {
      CheckedPolicy checked(std::move(policy), simulated.name, shape);
      try {
        walk(Borrowed<CheckedPolicy>{&checked, &simulated.rng, is_new}, std::move(users), shape,
             options.delay, steps, so_far, trace.curve, control);
      } catch (...) {
        by_policy = checked.threw();
        throw;
      }
      policy = std::move(checked).release();
    } else {
      walk(Borrowed<P>{&policy, &simulated.rng, is_new}, std::move(users), shape, options.delay,
           steps, so_far, trace.curve, control);
    }
  };
  const std::string who = fmt::format("users of the model {}, run {} of policy {}",
                                      quote(problem.model()), run, quote(simulated.name));
  try {
    with_users(problem, simulated.policy, options.seed, run, options.depths, with);
  } catch (const Interrupted&) {
    throw;
  } catch (const std::exception& error) {
    if (!by_policy) blame(error, who);
    throw;
  }
  trace.reward = so_far.reward;
  if (!std::isfinite(so_far.regret) || !std::isfinite(trace.reward)) {
    throw InputError(who + ": they gave a reward that is not a number");
  }
  check_rewards(tally, who);
  check_regret(problem, so_far.regret, options.steps, who);
  trace.cpu_seconds = thread_cpu_seconds() - start;
  return trace;
}

SimulatedPolicy new_policy(AnyPolicy policy, std::string name, std::uint64_t seed,
                           std::uint64_t run) {
  return {std::move(policy), std::move(name), Rng(stream_key(Stream::kPolicy, seed, run))};
}

RunTrace simulate_run(const Problem& problem, const PolicySpec& policy,
                      const ExperimentOptions& options, std::uint64_t run,
                      const ExperimentControl& control) {
  return simulate_run(problem, make_policy(policy, case_of(problem, options.steps)), policy.text,
                      options, run, control);
}

RunTrace simulate_run(const Problem& problem, AnyPolicy policy, const std::string& name,
                      const ExperimentOptions& options, std::uint64_t run,
                      const ExperimentControl& control) {
  SimulatedPolicy simulated = new_policy(std::move(policy), name, options.seed, run);
  return continue_run(problem, simulated, options, run, control);
}

PolicyResult summarise_runs(std::string policy, std::span<const RunTrace> traces,
                            const ExperimentOptions& options) {
  PolicyResult result;
  result.policy = std::move(policy);
  result.curve_steps = curve_steps(options.steps);
  const auto& steps = result.curve_steps;
  std::vector<double> column(traces.size());
  const auto summary_of = [&](auto value) {
    std::transform(traces.begin(), traces.end(), column.begin(), value);
    return summarise(column);
  };
  for (std::size_t s = 0; s < steps.size(); ++s) {
    result.curve.push_back(summary_of([&](const RunTrace& t) { return t.curve[s]; }));
    if (options.curves_per_run) result.curve_per_run.push_back(column);
    if (steps[s] == half_of(steps.back())) result.half_per_run = column;
  }
  result.regret_per_run = column;  // of the last step
  result.regret = result.curve.back();
  result.reward = summary_of([](const RunTrace& t) { return t.reward; });
  result.reward_per_run = column;
  result.ns_per_step = 1e9 * summary_of([](const RunTrace& t) { return t.cpu_seconds; }).mean /
                       static_cast<double>(steps.back());
  return result;
}

void check_users(const Problem& problem, const ExperimentOptions& options) {
  const double best = problem.users(options.seed, 0, options.depths).best_expected_reward();
  if (!std::isfinite(best)) {
    throw InputError(fmt::format("users of the model {}: the best expected reward is {}",
                                 quote(problem.model()), best));
  }
}

void play(const Problem& problem, AnyPolicy& policy, Rng& rng, std::uint64_t seed,
          std::uint64_t run, std::uint64_t rounds, bool initial_sample, RunSoFar& so_far,
          const ExperimentControl& control) {
  const Shape shape{problem.items(), problem.positions(), 0};
  const std::uint64_t last = so_far.step + rounds;
  std::vector<double> curve;
  with_users(problem, policy, seed, run, {}, [&]<class P>(P& known, auto users) {
    walk(Borrowed<P>{&known, &rng, initial_sample}, std::move(users), shape, 0, std::span(&last, 1),
         so_far, curve, control);
  });
}

}  // namespace dcmrank
