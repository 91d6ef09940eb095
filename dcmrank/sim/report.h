#pragma once

#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "dcmrank/base/csv.h"
#include "dcmrank/plot/figure.h"
#include "dcmrank/sim/experiment.h"

namespace dcmrank {

/// The results of compare() as the program writes them (docs/formats.md).
nlohmann::ordered_json result_to_json(const PolicyResult& result);

/// The inverse. Throws InputError if the JSON is not what result_to_json writes.
PolicyResult result_from_json(const nlohmann::ordered_json& json);

/// The regret curve of a result as a line of a figure.
Series curve_of(const PolicyResult& result, Axes axes);

/// All of an experiment; each policy's `difference` from the first is taken run by run.
nlohmann::ordered_json results_to_json(const Problem& problem, const ExperimentOptions& options,
                                       std::span<const PolicyResult> results);

/// A whole experiment as results_to_json wrote it. Throws InputError that begins with `source`, a
/// file's name, if it is not one, or of another version.
struct ExperimentReport {
  Problem problem;
  ExperimentOptions options;
  std::vector<PolicyResult> results;
};
ExperimentReport experiment_from_json(const nlohmann::ordered_json& json,
                                      const std::string& source);

/// A row for every policy and step of its curve.
DataTable curve_rows(std::span<const PolicyResult> results);
/// A row for every policy, run and step of its curve; the results must have the curves of runs.
DataTable run_rows(std::span<const PolicyResult> results, std::uint64_t first_run);
std::string results_to_csv(std::span<const PolicyResult> results);
Figure results_to_figure(const std::string& title, Axes axes,
                         std::span<const PolicyResult> results);

}  // namespace dcmrank
