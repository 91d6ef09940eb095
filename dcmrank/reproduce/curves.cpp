#include "dcmrank/reproduce/curves.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "dcmrank/reproduce/measures.h"
#include "dcmrank/sim/report.h"

namespace dcmrank {

Figure curve_figure(const std::string& title, std::span<const PolicyResult> results) {
  Figure figure = results_to_figure(title, Axes::kLinear, results);
  figure.legend = Legend::kBelow;
  return figure;
}

TextTable end_table(std::span<const PolicyResult> results) {
  TextTable rows{{"policy", "regret", "times the first"}};
  for (const PolicyResult& result : results) {
    rows.push_back({result.policy, text(result.regret),
                    &result == &results.front() ? "1" : text(ratio(result, results.front()))});
  }
  return rows;
}

Series regret_points(std::string label, std::span<const PolicyResult> results, std::size_t policies,
                     std::size_t which) {
  Series series{std::move(label), {}, {}, {}, Style::kPoints};
  for (std::size_t i = which; i < results.size(); i += policies) {
    series.x.push_back(static_cast<double>(series.x.size() + 1));
    series.y.push_back(results[i].regret.mean);
    series.error.push_back(results[i].regret.stderr_);
  }
  return series;
}

PolicyResult average(const std::string& policy, std::span<const PolicyResult> results) {
  PolicyResult mean;
  mean.policy = policy;
  mean.curve_steps = results.front().curve_steps;
  const auto n = static_cast<double>(results.size());
  for (std::size_t s = 0; s < mean.curve_steps.size(); ++s) {
    double sum = 0;
    std::vector<double> per_run(results.front().curve_per_run[s].size(), 0);
    for (const PolicyResult& result : results) {
      sum += result.curve[s].mean;
      for (std::size_t r = 0; r < per_run.size(); ++r) per_run[r] += result.curve_per_run[s][r] / n;
    }
    mean.curve.push_back({sum / n, summarise(per_run).stderr_});
    mean.curve_per_run.push_back(std::move(per_run));
  }
  mean.regret_per_run = mean.curve_per_run.back();
  mean.regret = mean.curve.back();
  return mean;
}

}  // namespace dcmrank
