#include "dcmrank/sim/report.h"

#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/io/problem.h"

namespace dcmrank {

using nlohmann::ordered_json;

namespace {

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

// A field of a CSV file (RFC 4180): quoted, since names of policies may hold commas.
std::string csv_field(const std::string& text) {
  std::string field = "\"";
  for (const char c : text) {
    field += c;
    if (c == '"') field += c;
  }
  return field + '"';
}

}  // namespace

ordered_json results_to_json(const Dcm& dcm, const ExperimentOptions& options,
                             std::span<const PolicyResult> results) {
  ordered_json policies = ordered_json::array();
  for (const PolicyResult& result : results) policies.push_back(result_to_json(result));
  ordered_json json{
      {"format", "dcmrank.simulation"}, {"version", 1},         {"problem", problem_to_json(dcm)},
      {"steps", options.steps},         {"runs", options.runs}, {"seed", options.seed}};
  if (options.delay > 0) json["delay"] = options.delay;
  if (!options.depths.empty()) json["depth"] = options.depths;
  json["policies"] = std::move(policies);
  return json;
}

std::string results_to_csv(std::span<const PolicyResult> results) {
  std::string csv = "policy,step,regret_mean,regret_stderr\n";
  for (const PolicyResult& result : results) {
    for (std::size_t s = 0; s < result.curve.size(); ++s) {
      fmt::format_to(std::back_inserter(csv), "{},{},{},{}\n", csv_field(result.policy),
                     result.curve_steps[s], result.curve[s].mean, result.curve[s].stderr_);
    }
  }
  return csv;
}

Figure results_to_figure(const std::string& title, Axes axes,
                         std::span<const PolicyResult> results) {
  Figure figure{title, "step n", "cumulative regret (mean ± standard error)", axes, {}};
  for (const PolicyResult& result : results) {
    Series series{result.policy, {}, {}, {}};
    for (std::size_t s = 0; s < result.curve.size(); ++s) {
      // A logarithmic axis has no room for a regret of 0, as after lucky first steps.
      if (axes == Axes::kLogLog && result.curve[s].mean <= 0) continue;
      series.x.push_back(static_cast<double>(result.curve_steps[s]));
      series.y.push_back(result.curve[s].mean);
      series.error.push_back(result.curve[s].stderr_);
    }
    figure.series.push_back(std::move(series));
  }
  return figure;
}

}  // namespace dcmrank
