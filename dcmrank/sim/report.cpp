#include "dcmrank/sim/report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/error.h"
#include "dcmrank/users/problem.h"

namespace dcmrank {

using nlohmann::ordered_json;

ordered_json result_to_json(const PolicyResult& result) {
  ordered_json mean = ordered_json::array();
  ordered_json error = ordered_json::array();
  for (const Summary& point : result.curve) {
    mean.push_back(point.mean);
    error.push_back(point.stderr_);
  }
  return {{"policy", result.policy},
          {"regret",
           {{"mean", result.regret.mean},
            {"stderr", result.regret.stderr_},
            {"per_run", result.regret_per_run}}},
          {"reward", {{"mean", result.reward.mean}, {"stderr", result.reward.stderr_}}},
          {"curve", {{"step", result.curve_steps}, {"mean", mean}, {"stderr", error}}},
          {"ns_per_step", result.ns_per_step}};
}

PolicyResult result_from_json(const ordered_json& json) {
  try {
    PolicyResult result;
    result.policy = json.at("policy");
    result.regret_per_run = json.at("regret").at("per_run").get<std::vector<double>>();
    result.regret = {json.at("regret").at("mean"), json.at("regret").at("stderr")};
    result.reward = {json.at("reward").at("mean"), json.at("reward").at("stderr")};
    result.curve_steps = json.at("curve").at("step").get<std::vector<std::uint64_t>>();
    const auto mean = json.at("curve").at("mean").get<std::vector<double>>();
    const auto errors = json.at("curve").at("stderr").get<std::vector<double>>();
    for (std::size_t s = 0; s < result.curve_steps.size(); ++s) {
      result.curve.push_back({mean.at(s), errors.at(s)});
    }
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
    series.error.push_back(result.curve[s].stderr_);
  }
  return series;
}

ordered_json results_to_json(const Problem& problem, const ExperimentOptions& options,
                             std::span<const PolicyResult> results) {
  ordered_json policies = ordered_json::array();
  for (const PolicyResult& result : results) policies.push_back(result_to_json(result));
  ordered_json json{{"format", "dcmrank.simulation"},
                    {"version", 1},
                    {"problem", problem_to_json(problem)},
                    {"steps", options.steps},
                    {"runs", options.runs},
                    {"seed", options.seed}};
  if (options.delay > 0) json["delay"] = options.delay;
  if (!options.depths.empty()) json["depth"] = options.depths;
  json["policies"] = std::move(policies);
  return json;
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

std::string results_to_csv(std::span<const PolicyResult> results) {
  return to_csv(curve_rows(results));
}

Figure results_to_figure(const std::string& title, Axes axes,
                         std::span<const PolicyResult> results) {
  Figure figure{title, "step n",  "cumulative regret (mean ± standard error)", axes, {},
                "",    "top left"};
  for (const PolicyResult& result : results) figure.series.push_back(curve_of(result, axes));
  return figure;
}

}  // namespace dcmrank
