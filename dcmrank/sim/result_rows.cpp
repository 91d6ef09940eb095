#include "dcmrank/sim/result_rows.h"

#include <fmt/format.h>

#include "dcmrank/sim/net_regret.h"

namespace dcmrank {
namespace {

std::string error_cell(const Summary& value) {
  return value.has_error() ? fmt::format("{:.2f}", value.stderr_) : "-";
}

// Of a small one, two digits.
std::string ratio_cell(double ratio) {
  const bool small = ratio > 0 && ratio < 0.1;
  return small ? fmt::format("{:.2g}x", ratio) : fmt::format("{:.2f}x", ratio);
}

}  // namespace

std::vector<std::vector<std::string>> result_rows(std::span<const PolicyResult> results,
                                                  std::optional<double> floor, bool with_time) {
  const bool with_net = floor.value_or(0) > 0;
  std::vector<std::vector<std::string>> rows{{"policy", "regret", "std. error", "vs first",
                                              "difference", "its std. error", "reward", "ns/step"}};
  if (with_net) rows.front().insert(rows.front().begin() + 3, "net regret");
  const PolicyResult& first = results.front();
  for (const PolicyResult& result : results) {
    const bool compared = &result != &first;
    const Summary difference = paired_difference(result.regret_per_run, first.regret_per_run);
    rows.push_back(
        {result.policy, fmt::format("{:.2f}", result.regret.mean), error_cell(result.regret),
         first.regret.mean > 0 ? ratio_cell(result.regret.mean / first.regret.mean) : "-",
         compared ? fmt::format("{:+.2f}", difference.mean) : "-",
         compared ? error_cell(difference) : "-", fmt::format("{:.1f}", result.reward.mean),
         fmt::format("{:.0f}", result.ns_per_step)});
    if (with_net) {
      rows.back().insert(rows.back().begin() + 3,
                         fmt::format("{:.2f}", net_regret(result, floor).mean));
    }
  }
  if (!with_time) {
    for (auto& row : rows) row.pop_back();
  }
  return rows;
}

std::string reward_text(const std::string& kind) {
  if (kind == "satisfaction") return "Regret counts satisfied users.";
  if (kind == "clicks") return "Regret counts clicks.";
  return kind == "usual" ? "" : fmt::format("Regret counts the reward {}.", kind);
}

std::string best_list_text(const Problem& problem, std::optional<double> floor) {
  std::string text = reward_text(problem.reward());
  if (!text.empty()) text += ' ';
  if (problem.facts().searched) {
    text +=
        "Regret is measured against the best list that was found by exchanges of items; there may "
        "be a better one. ";
  }
  if (!floor) {
    text += "What the best list sorted by attraction loses is not known of these users.";
  } else if (*floor > 0) {
    text += fmt::format(
        "The best list sorted by attraction loses {:.2f} against the best over the run; net regret "
        "is what is lost besides.",
        *floor);
  }
  return text;
}

}  // namespace dcmrank
