#include "dcmrank/sim/experiment.h"

#include <algorithm>
#include <ctime>
#include <variant>

#include "dcmrank/io/error.h"
#include "dcmrank/model/users.h"
#include "dcmrank/sim/grid.h"
#include "dcmrank/sim/parallel.h"
#include "dcmrank/sim/problem_spec.h"
#include "dcmrank/sim/simulation.h"

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

template <Policy P>
Trace simulate(P policy, const Dcm& dcm, const Shape& shape, const ExperimentOptions& options,
               std::uint64_t r, std::span<const std::uint64_t> steps,
               const ExperimentControl& control) {
  const double start = thread_cpu_seconds();
  Simulation run(std::move(policy), DcmUsers(dcm, options.seed, r, options.depths), shape,
                 Rng(stream_key(Stream::kPolicy, options.seed, r)), options.delay);
  Trace trace;
  trace.curve.reserve(steps.size());
  for (const std::uint64_t step : steps) {
    advance_in_pieces(run, step, control);
    trace.curve.push_back(run.regret());
  }
  trace.reward = static_cast<double>(run.reward());
  trace.cpu_seconds = thread_cpu_seconds() - start;
  return trace;
}

PolicyResult summarise_traces(std::string policy, std::span<const Trace> traces,
                              const std::vector<std::uint64_t>& steps) {
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
  }
  result.regret_per_run = column;  // of the last step
  result.regret = result.curve.back();
  result.reward = summary_of([](const Trace& t) { return t.reward; });
  result.ns_per_step = 1e9 * summary_of([](const Trace& t) { return t.cpu_seconds; }).mean /
                       static_cast<double>(steps.back());
  return result;
}

}  // namespace

std::vector<PolicyResult> compare(const Dcm& dcm, std::span<const PolicySpec> policies,
                                  const ExperimentOptions& options,
                                  const ExperimentControl& control) {
  const Shape shape{dcm.items(), dcm.positions(), options.steps};
  const auto steps = curve_steps(options.steps);
  std::vector<PolicySpec> specs;
  for (const PolicySpec& spec : policies) specs.push_back(for_problem(spec, dcm));
  for (const PolicySpec& spec : specs) make_policy(spec, shape);  // refuse before the work
  const std::size_t runs = options.runs;
  std::vector<Trace> traces(policies.size() * runs);
  parallel_for(traces.size(), resolve_threads(options.threads), [&](std::size_t job) {
    traces[job] = std::visit(
        [&](auto policy) {
          return simulate(std::move(policy), dcm, shape, options, job % runs, steps, control);
        },
        make_policy(specs[job / runs], shape));
  });
  std::vector<PolicyResult> results;
  for (std::size_t p = 0; p < policies.size(); ++p) {
    results.push_back(
        summarise_traces(policies[p].text, std::span(traces).subspan(p * runs, runs), steps));
  }
  return results;
}

}  // namespace dcmrank
