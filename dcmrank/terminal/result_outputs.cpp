#include "dcmrank/terminal/result_outputs.h"

#include <algorithm>
#include <array>
#include <exception>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/choices.h"
#include "dcmrank/base/error.h"
#include "dcmrank/base/json.h"
#include "dcmrank/base/text.h"
#include "dcmrank/manual/offer.h"
#include "dcmrank/sim/curve_steps.h"
#include "dcmrank/sim/net_regret.h"
#include "dcmrank/sim/result_rows.h"
#include "dcmrank/terminal/table.h"

namespace dcmrank::command {
namespace {

// What regret is measured against, where that is not simply the best list.
std::string best_list_line(const Problem& problem, std::optional<double> floor) {
  const std::string text = best_list_text(problem, floor);
  return text.empty() ? "" : wrapped(text, 0) + "\n";
}

std::string summary_of(const ExperimentReport& report) {
  const auto& [problem, options, results] = report;
  const auto floor = floor_of_run(problem, options.steps);
  const std::string first =
      options.first_run == 0 ? "" : fmt::format(" from run {} on", options.first_run);
  const std::string after =
      options.first_step == 0 ? "" : fmt::format(" after {} others", options.first_step);
  return fmt::format("L = {}, K = {}, {}{}, {}{}, seed {}\n{}\n{}", problem.items(),
                     problem.positions(), how_many(options.steps, "step"), after,
                     how_many(options.runs, "run"), first, options.seed,
                     best_list_line(problem, floor), table(result_rows(results, floor)));
}

std::string latex_note(const ExperimentReport& report) {
  const auto floor = floor_of_run(report.problem, report.options.steps);
  const std::string best = best_list_text(report.problem, floor);
  return fmt::format(
      "L = {}, K = {}, {}, {}, seed {}. Differences from the first policy are taken run by run, on "
      "the same users.{}{}",
      report.problem.items(), report.problem.positions(), how_many(report.options.steps, "step"),
      how_many(report.options.runs, "run"), report.options.seed, best.empty() ? "" : " ", best);
}

// What regret counts, for the title of a picture.
std::string counted(const Problem& problem) {
  const std::string& kind = problem.reward();
  return kind == "usual" ? "" : kind == "satisfaction" ? " in satisfied users" : " in " + kind;
}

std::vector<PolicyResult> with_names(std::vector<PolicyResult> results, const PolicyNames& names) {
  for (PolicyResult& result : results) result.policy = called(names, result.policy);
  return results;
}

ExperimentReport without_curves_of_runs(ExperimentReport report) {
  for (PolicyResult& result : report.results) result.curve_per_run.clear();
  return report;
}

// Tries them all, and then throws what the first failure threw.
class Attempts {
 public:
  template <class Wanted, class Write>
  void at(const Wanted& output, Write write) {
    if (!output) return;
    try {
      write();
    } catch (...) {
      if (!failure_) failure_ = std::current_exception();
    }
  }
  void tell() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::exception_ptr failure_;
};

}  // namespace

void add_result_options(CLI::App& command, ResultFiles& files) {
  add_json_option(command, files.json);
  command.add_option("--csv", files.csv, "Write the regret curves as CSV; - is stdout")
      ->type_name("FILE");
  command
      .add_option("--runs-csv", files.runs_csv,
                  "Write the regret curve of every run as CSV; - is stdout")
      ->type_name("FILE");
  add_latex_option(command, files.latex);
  command.add_flag("--table-timing", files.latex_timing,
                   "Give the LaTeX table the CPU time of a step too, which differs from one run of "
                   "the command to the next");
  add_name_option(command, files.names);
  add_plot_options(command, files.plot, "the regret curves");
  manual::offer(
      command.add_option("--axes", files.axes, "Axes of the plot: linear, logx or loglog"),
      words_of(axes_by_name()))
      ->type_name("WHICH")
      ->capture_default_str();
}

ResultOutputs::ResultOutputs(const ResultFiles& files)
    : axes_(choose("--axes", files.axes, axes_by_name())),
      json_(files.json),
      csv_(files.csv),
      runs_csv_(files.runs_csv),
      latex_(files.latex),
      latex_timing_(files.latex_timing),
      names_(files.names),
      files_(files.plot.files),
      pictures_(files.plot) {
  check_ranges(axes_, pictures_.style());
  if (axes_ != Axes::kLinear && !pictures_) throw InputError("--axes needs --plot");
  const std::array outputs{&json_, &csv_, &runs_csv_, &latex_};
  const auto n = std::count_if(outputs.begin(), outputs.end(),
                               [](const Output* output) { return output->to_stdout(); });
  if (n > 1) {
    throw InputError("only one of --json, --csv, --runs-csv and --table-latex can be stdout");
  }
  to_stdout_ = n > 0;
}

void ResultOutputs::check(const std::vector<std::string>& policies, std::uint64_t steps) const {
  names_of_policies(names_, pictures_.style(), policies);
  Series line{"", {}, {}, {}};
  for (const std::uint64_t step : curve_steps(steps)) {
    line.x.push_back(static_cast<double>(step));
    line.y.push_back(0);
  }
  for (const std::string& file : files_) {
    check_points({"", {{"", "", "", axes_, {line}}}}, pictures_.style(), file, Known::kX);
  }
}

void ResultOutputs::write(const ExperimentReport& report, bool is_part) {
  // No structured bindings: clang 14 lets no lambda have them.
  const Problem& problem = report.problem;
  const ExperimentOptions& options = report.options;
  const std::vector<PolicyResult>& results = report.results;
  const auto named = with_names(
      results,
      names_of_policies(names_, pictures_.style(), names_of(results, &PolicyResult::policy)));
  if (!to_stdout_) fmt::print("{}", summary_of(report));
  // What is wrong with one output must not cost the others.
  Attempts attempts;
  attempts.at(json_, [&] {
    const ExperimentReport shown = is_part ? report : without_curves_of_runs(report);
    json_.write(print_json(results_to_json(problem, options, shown.results)));
  });
  attempts.at(csv_, [&] { csv_.write(results_to_csv(results)); });
  attempts.at(runs_csv_, [&] { runs_csv_.write(to_csv(run_rows(results, options.first_run))); });
  attempts.at(latex_, [&] {
    const auto floor = floor_of_run(problem, options.steps);
    latex_.write(latex_table(result_rows(named, floor, latex_timing_), latex_note(report)));
  });
  attempts.at(pictures_, [&] {
    pictures_.draw(results_to_figure(
        fmt::format("Regret{}, {}, L = {}, K = {}", counted(problem), how_many(options.runs, "run"),
                    problem.items(), problem.positions()),
        axes_, named));
  });
  attempts.tell();
}

}  // namespace dcmrank::command
