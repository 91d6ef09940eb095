// Experiments: policies of the registry on the library's threads, policies in Python run by run,
// and what comes of both.
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <nlohmann/json.hpp>

#include "arrays.h"
#include "bindings.h"
#include "dcmrank/base/json.h"
#include "dcmrank/sim/experiment.h"
#include "dcmrank/sim/net_regret.h"
#include "dcmrank/sim/report.h"
#include "dcmrank/sim/result_rows.h"
#include "dcmrank/sim/run.h"
#include "long_work.h"
#include "python_policy.h"

namespace dcmrank::python {
namespace {

ExperimentOptions make_options(std::uint64_t steps, std::uint64_t runs, std::uint64_t seed,
                               std::size_t delay, const std::string& depth, std::size_t positions) {
  ExperimentOptions options{.steps = steps, .runs = runs, .seed = seed};
  options.delay = delay;
  if (!depth.empty()) options.depths = parse_screen_depths(depth, positions);
  options.curves_per_run = true;
  return options;
}

// Everything that can be refused is, before the work.
void check_experiment(const Problem& problem, const std::vector<std::string>& policies,
                      const ExperimentOptions& options) {
  check_users(problem, options);
  for (const std::string& policy : policies) {
    make_policy(parse_policy_spec(policy), case_of(problem, options.steps));
  }
}

std::vector<PolicyResult> compare_native(const Problem& problem,
                                         const std::vector<std::string>& policies,
                                         ExperimentOptions options, unsigned threads,
                                         const Report& progress) {
  std::vector<PolicySpec> specs;
  for (const std::string& policy : policies) specs.push_back(parse_policy_spec(policy));
  options.threads = threads;
  return run_long_for(progress, [&](const WorkControl& control) {
    return compare(problem, specs, options, {control.stop, &control.done});
  });
}

// The GIL stays held: the policy needs it in every round.
RunTrace simulate_object(const Problem& problem, nb::handle policy, const std::string& name,
                         const ExperimentOptions& options, std::uint64_t run,
                         const Report& progress) {
  return simulate_run(problem, PythonPolicy(policy, name, problem.items(), progress), name, options,
                      run);
}

RunTrace simulate_native(const Problem& problem, const std::string& policy,
                         const ExperimentOptions& options, std::uint64_t run) {
  return run_long_for(nb::none(), [&](const WorkControl& control) {
    return simulate_run(problem, parse_policy_spec(policy), options, run, {control.stop, nullptr});
  });
}

PolicyResult summarise_runs_of(const std::string& name, const std::vector<RunTrace>& traces,
                               const ExperimentOptions& options) {
  return summarise_runs(name, traces, options);
}

std::pair<double, double> difference(const std::vector<double>& a, const std::vector<double>& b) {
  const Summary summary = paired_difference(a, b);
  return {summary.mean, summary.stderr_};
}

template <double Summary::*Member>
Doubles curve_values(const PolicyResult& result) {
  auto [array, data] = new_doubles(result.curve.size());
  for (const Summary& point : result.curve) *data++ = point.*Member;
  return array;
}

// Row r is run r: the other way round than the library keeps them.
Doubles curves_by_run(const PolicyResult& result) {
  const std::size_t runs = result.regret_per_run.size();
  const std::size_t steps = result.curve_per_run.size();
  auto [array, data] = new_doubles(runs * steps);
  for (std::size_t r = 0; r < runs; ++r) {
    for (std::size_t s = 0; s < steps; ++s) *data++ = result.curve_per_run[s][r];
  }
  return Doubles(nb::object(array.attr("reshape")(runs, steps)));
}

ExperimentReport load_comparison(const std::string& text, const std::string& source) {
  return experiment_from_json(parse_json(text, source), source);
}

void bind_options(nb::module_& m) {
  nb::class_<ExperimentOptions>(m, "ExperimentOptions")
      .def("__init__",
           [](ExperimentOptions* self, std::uint64_t steps, std::uint64_t runs, std::uint64_t seed,
              std::size_t delay, const std::string& depth, std::size_t positions) {
             new (self) ExperimentOptions(make_options(steps, runs, seed, delay, depth, positions));
           })
      .def_ro("steps", &ExperimentOptions::steps)
      .def_ro("runs", &ExperimentOptions::runs)
      .def_ro("seed", &ExperimentOptions::seed)
      .def_ro("delay", &ExperimentOptions::delay)
      .def_ro("depths", &ExperimentOptions::depths)
      .def("__getstate__",
           [](const ExperimentOptions& self) {
             return std::tuple(self.steps, self.runs, self.first_run, self.seed, self.delay,
                               self.depths);
           })
      .def("__setstate__", [](ExperimentOptions& self,
                              const std::tuple<std::uint64_t, std::uint64_t, std::uint64_t,
                                               std::uint64_t, std::size_t, ScreenDepths>& state) {
        const auto& [steps, runs, first_run, seed, delay, depths] = state;
        new (&self) ExperimentOptions(make_options(steps, runs, seed, delay, "", 0));
        self.first_run = first_run;
        self.depths = depths;
      });
}

void bind_results(nb::module_& m) {
  nb::class_<RunTrace>(m, "RunTrace")
      .def("__getstate__",
           [](const RunTrace& self) {
             return std::tuple(self.curve, self.reward, self.cpu_seconds);
           })
      .def("__setstate__",
           [](RunTrace& self, const std::tuple<std::vector<double>, double, double>& state) {
             const auto& [curve, reward, cpu_seconds] = state;
             new (&self) RunTrace{curve, reward, cpu_seconds};
           });
  nb::class_<PolicyResult>(m, "PolicyResult")
      .def_rw("policy", &PolicyResult::policy)
      .def_prop_ro("mean", [](const PolicyResult& self) { return self.regret.mean; })
      .def_prop_ro("stderr", [](const PolicyResult& self) { return self.regret.stderr_; })
      .def_prop_ro("reward", [](const PolicyResult& self) { return self.reward.mean; })
      .def_prop_ro("per_run",
                   [](const PolicyResult& self) { return to_numpy(self.regret_per_run); })
      .def_prop_ro("steps", [](const PolicyResult& self) { return to_numpy(self.curve_steps); })
      .def_prop_ro("curve_mean", &curve_values<&Summary::mean>)
      .def_prop_ro("curve_stderr", &curve_values<&Summary::stderr_>)
      .def_prop_ro("curve_per_run", &curves_by_run)
      .def_ro("ns_per_step", &PolicyResult::ns_per_step);
}

void bind_comparison(nb::module_& m) {
  nb::class_<ExperimentReport>(m, "Comparison")
      .def("__init__",
           [](ExperimentReport* self, const Problem& problem, const ExperimentOptions& options,
              const std::vector<PolicyResult>& results) {
             new (self) ExperimentReport{problem, options, results};
           })
      .def_ro("problem", &ExperimentReport::problem)
      .def_ro("options", &ExperimentReport::options)
      .def_ro("results", &ExperimentReport::results)
      .def("rows",
           [](const ExperimentReport& self) {
             return result_rows(self.results, floor_of_run(self.problem, self.options.steps));
           })
      .def("best_list_text",
           [](const ExperimentReport& self) {
             return best_list_text(self.problem, floor_of_run(self.problem, self.options.steps));
           })
      .def(
          "to_json",
          [](const ExperimentReport& self) {
            return print_json(results_to_json(self.problem, self.options, self.results));
          },
          Alone());
  m.def("load_comparison", &load_comparison, Alone());
}

}  // namespace

void bind_compare(nb::module_& m) {
  bind_options(m);
  bind_results(m);
  bind_comparison(m);
  m.def("check_experiment", &check_experiment, Alone());
  m.def("compare", &compare_native, nb::arg("problem"), nb::arg("policies"), nb::arg("options"),
        nb::arg("threads"), nb::arg("progress").none());
  m.def("simulate_object", &simulate_object, nb::arg("problem"), nb::arg("policy"), nb::arg("name"),
        nb::arg("options"), nb::arg("run"), nb::arg("progress").none());
  m.def("simulate_native", &simulate_native, nb::arg("problem"), nb::arg("policy"),
        nb::arg("options"), nb::arg("run"));
  m.def("summarise_runs", &summarise_runs_of, Alone());
  m.def("policy_key", [](std::uint64_t seed, std::uint64_t run) {
    return stream_key(Stream::kPolicy, seed, run);
  });
  m.def("paired_difference", &difference);
}

}  // namespace dcmrank::python
