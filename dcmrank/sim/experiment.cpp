#include "dcmrank/sim/experiment.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <concepts>
#include <ctime>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/parallel.h"
#include "dcmrank/base/text.h"
#include "dcmrank/registry/built_in.h"
#include "dcmrank/sim/checked_policy.h"
#include "dcmrank/sim/curve_steps.h"
#include "dcmrank/sim/simulation.h"
#include "dcmrank/users/dcm_users.h"

namespace dcmrank {
namespace {

double thread_cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// What one run of one policy leaves behind.
struct Trace {
  std::vector<double> curve;
  double reward = 0;
  double cpu_seconds = 0;
};

// A long way between two steps of the curve is walked in pieces, so that stopping is prompt and
// progress is seen.
template <class R>
void advance_in_pieces(R& run, std::uint64_t last, const ExperimentControl& control) {
  constexpr std::uint64_t kPiece = 1000;
  while (run.step() < last) {
    if (control.stop.stop_requested()) throw Interrupted();
    const std::uint64_t before = run.step();
    run.advance(std::min(last, before + kPiece));
    if (control.steps_done != nullptr) *control.steps_done += run.step() - before;
  }
}

template <Policy P, Users U>
Trace simulate(P policy, U users, const Shape& shape, const ExperimentOptions& options,
               std::uint64_t r, std::span<const std::uint64_t> steps,
               const ExperimentControl& control) {
  const double start = thread_cpu_seconds();
  Simulation run(std::move(policy), std::move(users), shape,
                 Rng(stream_key(Stream::kPolicy, options.seed, r)), options.delay);
  Trace trace;
  trace.curve.reserve(steps.size());
  for (const std::uint64_t step : steps) {
    advance_in_pieces(run, step, control);
    trace.curve.push_back(run.regret());
  }
  trace.reward = run.reward();
  if (!std::isfinite(run.regret()) || !std::isfinite(trace.reward)) {
    throw InputError("the users gave a reward that is not a number");
  }
  trace.cpu_seconds = thread_cpu_seconds() - start;
  return trace;
}

PolicyResult summarise_traces(std::string policy, std::span<const Trace> traces,
                              const std::vector<std::uint64_t>& steps, bool curves_per_run) {
  PolicyResult result;
  result.policy = std::move(policy);
  result.curve_steps = steps;
  std::vector<double> column(traces.size());
  const auto summary_of = [&](auto value) {
    std::transform(traces.begin(), traces.end(), column.begin(), value);
    return summarise(column);
  };
  for (std::size_t s = 0; s < steps.size(); ++s) {
    result.curve.push_back(summary_of([&](const Trace& t) { return t.curve[s]; }));
    if (curves_per_run) result.curve_per_run.push_back(column);
    if (steps[s] == half_of(steps.back())) result.half_per_run = column;
  }
  result.regret_per_run = column;  // of the last step
  result.regret = result.curve.back();
  result.reward = summary_of([](const Trace& t) { return t.reward; });
  result.ns_per_step = 1e9 * summary_of([](const Trace& t) { return t.cpu_seconds; }).mean /
                       static_cast<double>(steps.back());
  return result;
}

// The runs of one experiment, while they are computed. Each stands on cache lines of its own.
struct alignas(64) Progress {
  std::vector<std::uint64_t> steps;
  std::vector<Trace> traces;
  std::atomic<std::uint64_t> left;
};

struct Run {
  std::size_t experiment;
  std::uint64_t run;
};

// Runs of many steps first, since a long run begun last keeps the other cores waiting; otherwise in
// the order of the experiments.
std::vector<Run> longest_first(std::span<const Experiment> experiments) {
  std::vector<Run> order;
  for (std::size_t i = 0; i < experiments.size(); ++i) {
    for (std::uint64_t r = 0; r < experiments[i].options.runs; ++r) order.push_back({i, r});
  }
  std::stable_sort(order.begin(), order.end(), [&](const Run& a, const Run& b) {
    return experiments[a.experiment].options.steps > experiments[b.experiment].options.steps;
  });
  return order;
}

PolicyCase case_of(const Experiment& experiment) {
  return dcmrank::case_of(experiment.problem, experiment.options.steps);
}

// Users of others may be anything.
void check_users(const Problem& problem, const AnyUsers& users) {
  const double best = users.best_expected_reward();
  if (!std::isfinite(best)) {
    throw InputError(fmt::format("users of the model {}: the best expected reward is {}",
                                 quote(problem.model()), best));
  }
}

// Policies of ours with DCM users are compiled together; everybody else pays for a call through a
// pointer.
Trace simulate(const Experiment& experiment, const Progress& progress, std::uint64_t run,
               const ExperimentControl& control) {
  const ExperimentOptions& options = experiment.options;
  const PolicyCase made_for = case_of(experiment);
  AnyPolicy any = make_policy(experiment.policy, made_for);
  const auto with = [&]<class P>(P& policy, auto users) {
    if constexpr (std::same_as<P, AnyPolicy>) {
      return simulate(CheckedPolicy(std::move(policy), experiment.policy.text, made_for.shape),
                      std::move(users), made_for.shape, options, run, progress.steps, control);
    } else {
      return simulate(std::move(policy), std::move(users), made_for.shape, options, run,
                      progress.steps, control);
    }
  };
  if (made_for.problem == nullptr) {
    return with(any, experiment.problem.users(options.seed, run, options.depths));
  }
  return visit_policy(any, [&](auto& policy) {
    return with(policy, DcmUsers(*made_for.problem, options.seed, run, options.depths));
  });
}

}  // namespace

PolicyCase case_of(const Problem& problem, std::uint64_t steps) {
  PolicyCase made_for({problem.items(), problem.positions(), steps}, problem.dcm());
  made_for.order = problem.facts().order;
  made_for.examination = problem.facts().examination;
  return made_for;
}

void run_all(std::span<const Experiment> experiments, unsigned threads,
             const ExperimentControl& control, const OnResult& on_result) {
  std::vector<Progress> progress(experiments.size());
  for (std::size_t i = 0; i < experiments.size(); ++i) {
    const auto& [problem, policy, options] = experiments[i];
    progress[i].steps = curve_steps(options.steps);
    progress[i].traces.resize(options.runs);
    progress[i].left = options.runs;
    make_policy(policy, case_of(experiments[i]));
    check_users(problem, problem.users(options.seed, 0, options.depths));
  }
  const auto order = longest_first(experiments);
  std::mutex mutex;
  parallel_for(order.size(), resolve_threads(threads), [&](std::size_t job) {
    const auto [i, run] = order[job];
    progress[i].traces[run] = simulate(experiments[i], progress[i], run, control);
    if (--progress[i].left != 0) return;
    auto result = summarise_traces(experiments[i].policy.text, progress[i].traces,
                                   progress[i].steps, experiments[i].options.curves_per_run);
    progress[i].traces = {};
    const std::lock_guard lock(mutex);
    on_result(i, std::move(result));
  });
}

std::vector<PolicyResult> compare(const Problem& problem, std::span<const PolicySpec> policies,
                                  const ExperimentOptions& options,
                                  const ExperimentControl& control) {
  std::vector<Experiment> experiments;
  for (const PolicySpec& policy : policies) experiments.push_back({problem, policy, options});
  std::vector<PolicyResult> results(policies.size());
  run_all(experiments, options.threads, control,
          [&](std::size_t i, PolicyResult result) { results[i] = std::move(result); });
  return results;
}

}  // namespace dcmrank
