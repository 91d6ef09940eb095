#include "dcmrank/reproduce/curves.h"

#include <algorithm>

#include <fmt/format.h>

#include "dcmrank/reproduce/measures.h"
#include "dcmrank/sim/report.h"

namespace dcmrank {

Figure curve_figure(const std::string& title, std::span<const PolicyResult> results) {
  Figure figure = results_to_figure(title, Axes::kLinear, results);
  figure.key = kKeyBelow;
  return figure;
}

TextTable end_table(std::span<const PolicyResult> results) {
  TextTable rows{{"policy", "regret", "times the first"}};
  for (const PolicyResult& result : results) {
    rows.push_back(
        {result.policy, text(result.regret),
         &result == &results.front() ? "1" : text(ratio(result.regret, results.front().regret))});
  }
  return rows;
}

Summary regret_at(const PolicyResult& result, std::uint64_t step) {
  const auto& steps = result.curve_steps;
  const auto at = std::lower_bound(steps.begin(), steps.end(), step);
  return result.curve[static_cast<std::size_t>(at - steps.begin())];
}

}  // namespace dcmrank
