#include "dcmrank/sim/merge.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/error.h"
#include "dcmrank/sim/curve_steps.h"
#include "dcmrank/sim/run.h"

namespace dcmrank {
namespace {

std::uint64_t end_of(const ExperimentOptions& options) { return options.first_run + options.runs; }

std::string runs_text(std::uint64_t first, std::uint64_t end) {
  return end - first == 1 ? fmt::format("run {}", first)
                          : fmt::format("runs {} to {}", first, end - 1);
}

// What must be the same in all parts, by the names that a user knows.
nlohmann::ordered_json common_of(const ExperimentReport& report) {
  nlohmann::ordered_json json{{"problem", problem_to_json(report.problem)},
                              {"steps", report.options.steps},
                              {"seed", report.options.seed},
                              {"first_step", report.options.first_step},
                              {"delay", report.options.delay},
                              {"depth", report.options.depths},
                              {"policies", nlohmann::ordered_json::array()}};
  for (const PolicyResult& result : report.results) json["policies"].push_back(result.policy);
  return json;
}

void check_same_experiment(const ExperimentPart& first, const ExperimentPart& other) {
  const auto expected = common_of(first.report);
  const auto found = common_of(other.report);
  for (const auto& [name, value] : expected.items()) {
    if (found.at(name) == value) continue;
    throw InputError(fmt::format("{}: not the same experiment as {}: its \"{}\" differs",
                                 other.source, first.source, name));
  }
}

void check_runs(const std::vector<ExperimentPart>& parts) {
  for (std::size_t p = 1; p < parts.size(); ++p) {
    const std::uint64_t end = end_of(parts[p - 1].report.options);
    const std::uint64_t next = parts[p].report.options.first_run;
    if (next < end) {
      throw InputError(
          fmt::format("run {} is in {} and in {}", next, parts[p - 1].source, parts[p].source));
    }
    // NOLINTNEXTLINE(readability-suspicious-call-argument): the gap begins where the last part ends
    if (next > end) throw InputError(fmt::format("no part has {}", runs_text(end, next)));
  }
}

bool has_all_curves(const PolicyResult& result, const ExperimentOptions& options) {
  return result.curve_steps == curve_steps(options.steps) &&
         result.curve_per_run.size() == result.curve_steps.size() &&
         result.reward_per_run.size() == options.runs &&
         std::all_of(result.curve_per_run.begin(), result.curve_per_run.end(),
                     [&](const auto& runs) { return runs.size() == options.runs; });
}

// The traces that summarise_runs() made a result from.
void add_traces(const ExperimentPart& part, std::size_t policy, std::vector<RunTrace>& traces) {
  const PolicyResult& result = part.report.results[policy];
  if (!has_all_curves(result, part.report.options)) {
    throw InputError(
        fmt::format("{}: does not have the curve and the reward of every run "
                    "(simulate --first-run writes them)",
                    part.source));
  }
  const double seconds = 1e-9 * result.ns_per_step * static_cast<double>(part.report.options.steps);
  for (std::size_t r = 0; r < part.report.options.runs; ++r) {
    RunTrace trace{{}, result.reward_per_run[r], seconds};
    for (const auto& runs : result.curve_per_run) trace.curve.push_back(runs[r]);
    traces.push_back(std::move(trace));
  }
}

}  // namespace

ExperimentReport merge_parts(std::vector<ExperimentPart> parts) {
  if (parts.empty()) throw InputError("no parts");
  std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) {
    return a.report.options.first_run < b.report.options.first_run;
  });
  for (const ExperimentPart& part : parts) check_same_experiment(parts.front(), part);
  check_runs(parts);
  ExperimentReport whole{parts.front().report.problem, parts.front().report.options, {}};
  whole.options.runs = end_of(parts.back().report.options) - whole.options.first_run;
  whole.options.curves_per_run = true;
  for (std::size_t p = 0; p < parts.front().report.results.size(); ++p) {
    std::vector<RunTrace> traces;
    for (const ExperimentPart& part : parts) add_traces(part, p, traces);
    whole.results.push_back(
        summarise_runs(parts.front().report.results[p].policy, traces, whole.options));
  }
  return whole;
}

}  // namespace dcmrank
