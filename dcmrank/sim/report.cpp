#include "dcmrank/sim/report.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/error.h"
#include "dcmrank/base/json_fields.h"
#include "dcmrank/base/json_format.h"
#include "dcmrank/base/text.h"
#include "dcmrank/sim/net_regret.h"
#include "dcmrank/users/problem.h"

namespace dcmrank {

using nlohmann::ordered_json;

namespace {

constexpr const char* kSimulationFormat = "dcmrank.simulation";
constexpr int kSimulationVersion = 1;
constexpr std::uint64_t kMostRuns = std::uint64_t{1} << 62U;  // so that a sum of two is a number

// One run has no standard error.
ordered_json error_to_json(const Summary& summary) {
  return summary.has_error() ? ordered_json(summary.stderr_) : ordered_json(nullptr);
}

double error_from_json(const ordered_json& json) {
  return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

ordered_json summary_to_json(const Summary& summary) {
  return {{"mean", summary.mean}, {"stderr", error_to_json(summary)}};
}

Summary summary_from_json(const ordered_json& json) {
  return {json.at("mean"), error_from_json(json.at("stderr"))};
}

ordered_json curve_to_json(const PolicyResult& result) {
  ordered_json mean = ordered_json::array();
  ordered_json error = ordered_json::array();
  for (const Summary& point : result.curve) {
    mean.push_back(point.mean);
    error.push_back(error_to_json(point));
  }
  ordered_json json{{"step", result.curve_steps}, {"mean", mean}, {"stderr", error}};
  if (!result.curve_per_run.empty()) json["per_run"] = result.curve_per_run;
  return json;
}

void curve_from_json(const ordered_json& json, PolicyResult& result) {
  result.curve_steps = fields::whole_numbers(json, "step", 1, UINT64_MAX);
  if (!std::is_sorted(result.curve_steps.begin(), result.curve_steps.end(), std::less_equal<>())) {
    throw InputError("\"step\" of the curve does not increase");
  }
  for (std::size_t s = 0; s < result.curve_steps.size(); ++s) {
    result.curve.push_back({json.at("mean").at(s), error_from_json(json.at("stderr").at(s))});
  }
  if (!json.contains("per_run")) return;
  result.curve_per_run = json.at("per_run").get<std::vector<std::vector<double>>>();
  if (result.curve_per_run.size() != result.curve_steps.size()) {
    throw InputError("\"per_run\" of the curve does not have an entry for each step");
  }
  for (const std::vector<double>& at_step : result.curve_per_run) {
    if (at_step.size() == result.regret_per_run.size()) continue;
    throw InputError("\"per_run\" of the curve does not have a number for each run");
  }
}

}  // namespace

ordered_json result_to_json(const PolicyResult& result) {
  ordered_json regret = summary_to_json(result.regret);
  regret["per_run"] = result.regret_per_run;
  regret["half_per_run"] = result.half_per_run;
  ordered_json reward = summary_to_json(result.reward);
  reward["per_run"] = result.reward_per_run;
  return {{"policy", result.policy},
          {"regret", std::move(regret)},
          {"reward", std::move(reward)},
          {"curve", curve_to_json(result)},
          {"ns_per_step", result.ns_per_step}};
}

PolicyResult result_from_json(const ordered_json& json) {
  try {
    PolicyResult result;
    result.policy = json.at("policy");
    result.regret_per_run = json.at("regret").at("per_run").get<std::vector<double>>();
    result.half_per_run = json.at("regret").at("half_per_run").get<std::vector<double>>();
    if (result.half_per_run.size() != result.regret_per_run.size()) {
      throw InputError("\"half_per_run\" does not have an entry for each run");
    }
    result.regret = summary_from_json(json.at("regret"));
    result.reward = summary_from_json(json.at("reward"));
    result.reward_per_run = json.at("reward").value("per_run", std::vector<double>());
    curve_from_json(json.at("curve"), result);
    result.ns_per_step = json.at("ns_per_step");
    return result;
  } catch (const std::exception& error) {
    throw InputError(fmt::format("not the result of a simulation: {}", error.what()));
  }
}

Series curve_of(const PolicyResult& result, Axes axes) {
  Series series{result.policy, {}, {}, {}};
  for (std::size_t s = 0; s < result.curve.size(); ++s) {
    // A logarithmic axis has no room for a regret of 0, as after lucky first steps.
    if (axes == Axes::kLogLog && result.curve[s].mean <= 0) continue;
    series.x.push_back(static_cast<double>(result.curve_steps[s]));
    series.y.push_back(result.curve[s].mean);
    if (result.curve[s].has_error()) series.error.push_back(result.curve[s].stderr_);
  }
  return series;
}

ordered_json results_to_json(const Problem& problem, const ExperimentOptions& options,
                             std::span<const PolicyResult> results) {
  ordered_json policies = ordered_json::array();
  const ListFacts& facts = problem.facts();
  const auto floor = floor_of_run(problem, options.steps);
  const bool with_net = floor.value_or(0) > 0;
  for (const PolicyResult& result : results) {
    policies.push_back(result_to_json(result));
    if (with_net) policies.back()["net_regret"] = summary_to_json(net_regret(result, floor));
    policies.back()["difference"] =
        summary_to_json(paired_difference(result.regret_per_run, results.front().regret_per_run));
  }
  ordered_json json{{"format", kSimulationFormat},
                    {"version", kSimulationVersion},
                    {"problem", problem_to_json(problem)},
                    {"reward_kind", problem.reward()},
                    {"steps", options.steps},
                    {"runs", options.runs},
                    {"seed", options.seed}};
  if (options.first_run > 0) json["first_run"] = options.first_run;
  if (options.first_step > 0) json["first_step"] = options.first_step;
  if (options.delay > 0) json["delay"] = options.delay;
  if (!options.depths.empty()) json["depth"] = options.depths;
  if (facts.searched) json["best_list_found_by"] = "exchanges";
  if (with_net) json["best_sorted"] = {{"regret", *floor}};
  if (!floor) json["best_sorted"] = {{"regret", nullptr}};
  json["policies"] = std::move(policies);
  return json;
}

namespace {

Problem problem_from_report(const ordered_json& json) {
  const ordered_json& problem = fields::object(json, "problem");
  const std::string note = fields::has(problem, "note") ? fields::string(problem, "note") : "";
  return parse_problem(problem.dump(), "\"problem\"").with_note(note);
}

ExperimentOptions options_from_json(const ordered_json& json) {
  ExperimentOptions options;
  options.steps = fields::whole_number(json, "steps", 1, UINT64_MAX);
  options.runs = fields::whole_number(json, "runs", 1, kMostRuns);
  options.seed = fields::whole_number(json, "seed", 0, UINT64_MAX);
  if (json.contains("first_run")) {
    options.first_run = fields::whole_number(json, "first_run", 0, kMostRuns);
  }
  if (json.contains("first_step")) {
    options.first_step = fields::whole_number(json, "first_step", 0, kMostRuns);
  }
  if (json.contains("delay")) options.delay = fields::whole_number(json, "delay", 0, UINT64_MAX);
  if (json.contains("depth")) options.depths = fields::numbers(json, "depth", fields::kAny);
  return options;
}

void check_result(const PolicyResult& result, const ExperimentOptions& options) {
  if (result.regret_per_run.size() != options.runs) {
    throw InputError("\"per_run\" does not have an entry for each run");
  }
  if (!result.curve_steps.empty() && result.curve_steps.back() > options.steps) {
    throw InputError(fmt::format("\"step\" of the curve goes to {}, beyond \"steps\", {}",
                                 result.curve_steps.back(), options.steps));
  }
}

}  // namespace

ExperimentReport experiment_from_json(const ordered_json& json, const std::string& source) {
  try {
    check_format(json, kSimulationFormat, kSimulationVersion);
    ExperimentReport comparison{problem_from_report(json), options_from_json(json), {}};
    std::unordered_set<std::string> names;
    for (const ordered_json& policy : fields::array(json, "policies")) {
      comparison.results.push_back(result_from_json(policy));
      check_result(comparison.results.back(), comparison.options);
      if (!names.insert(comparison.results.back().policy).second) {
        throw InputError(
            fmt::format("policy {} occurs twice", quote(comparison.results.back().policy)));
      }
    }
    if (comparison.results.empty()) throw InputError("\"policies\" is empty");
    return comparison;
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", source, error.what()));
  }
}

DataTable curve_rows(std::span<const PolicyResult> results) {
  DataTable table{{"policy", "step", "regret_mean", "regret_stderr"}, {}};
  for (const PolicyResult& result : results) {
    for (std::size_t s = 0; s < result.curve.size(); ++s) {
      table.rows.push_back(
          {result.policy, result.curve_steps[s], result.curve[s].mean, result.curve[s].stderr_});
    }
  }
  return table;
}

DataTable run_rows(std::span<const PolicyResult> results, std::uint64_t first_run) {
  DataTable table{{"policy", "run", "step", "regret"}, {}};
  for (const PolicyResult& result : results) {
    for (std::size_t r = 0; r < result.regret_per_run.size(); ++r) {
      for (std::size_t s = 0; s < result.curve_per_run.size(); ++s) {
        table.rows.push_back(
            {result.policy, first_run + r, result.curve_steps[s], result.curve_per_run[s][r]});
      }
    }
  }
  return table;
}

std::string results_to_csv(std::span<const PolicyResult> results) {
  return to_csv(curve_rows(results));
}

Figure results_to_figure(const std::string& title, Axes axes,
                         std::span<const PolicyResult> results) {
  Figure figure{title, "step n", "regret ± standard error", axes, {}, "", Legend::kBelow};
  for (const PolicyResult& result : results) figure.series.push_back(curve_of(result, axes));
  return figure;
}

}  // namespace dcmrank
