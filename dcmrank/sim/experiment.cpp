#include "dcmrank/sim/experiment.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "dcmrank/base/error.h"
#include "dcmrank/base/parallel.h"
#include "dcmrank/sim/run.h"
#include "dcmrank/sim/run_journal.h"

namespace dcmrank {
namespace {

// The runs of one experiment, while they are computed. Each stands on cache lines of its own.
struct alignas(64) Progress {
  std::vector<RunTrace> traces;
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

RunTrace trace_of(const Experiment& experiment, std::uint64_t run, const ExperimentControl& control,
                  RunJournal* journal) {
  const auto& [problem, policy, options] = experiment;
  if (journal == nullptr) return simulate_run(problem, policy, options, run, control);
  if (auto kept = journal->take(policy.text, run)) {
    if (control.steps_done != nullptr) *control.steps_done += options.steps;
    return *std::move(kept);
  }
  RunTrace trace = simulate_run(problem, policy, options, run, control);
  journal->keep(policy.text, run, trace);
  return trace;
}

}  // namespace

PolicyCase case_of(const Problem& problem, std::uint64_t steps) {
  PolicyCase made_for({problem.items(), problem.positions(), steps}, problem.dcm());
  made_for.order = problem.facts().order;
  made_for.examination = problem.facts().examination;
  return made_for;
}

void run_all(std::span<const Experiment> experiments, unsigned threads,
             const ExperimentControl& control, const OnResult& on_result, RunJournal* journal) {
  std::vector<Progress> progress(experiments.size());
  for (std::size_t i = 0; i < experiments.size(); ++i) {
    const auto& [problem, policy, options] = experiments[i];
    progress[i].traces.resize(options.runs);
    progress[i].left = options.runs;
    make_policy(policy, case_of(problem, options.steps));
    check_users(problem, options);
  }
  const auto order = longest_first(experiments);
  std::mutex mutex;
  parallel_for(order.size(), resolve_threads(threads), [&](std::size_t job) {
    const auto [i, run] = order[job];
    const auto& [problem, policy, options] = experiments[i];
    progress[i].traces[run] = trace_of(experiments[i], options.first_run + run, control, journal);
    if (--progress[i].left != 0) return;
    auto result = summarise_runs(policy.text, progress[i].traces, options);
    progress[i].traces = {};
    const std::lock_guard lock(mutex);
    on_result(i, std::move(result));
  });
}

std::vector<PolicyResult> compare(const Problem& problem, std::span<const PolicySpec> policies,
                                  const ExperimentOptions& options,
                                  const ExperimentControl& control, RunJournal* journal) {
  if (options.steps == 0 || options.runs == 0) {
    throw InputError("a simulation has at least one step and one run");
  }
  std::vector<Experiment> experiments;
  for (const PolicySpec& policy : policies) experiments.push_back({problem, policy, options});
  std::vector<PolicyResult> results(policies.size());
  run_all(
      experiments, options.threads, control,
      [&](std::size_t i, PolicyResult result) { results[i] = std::move(result); }, journal);
  return results;
}

}  // namespace dcmrank
