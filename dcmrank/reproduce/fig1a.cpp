// Fig. 1a (Sec. 5.1): regret of dcmKL-UCB over L, K and the gap.
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "dcmrank/bounds/bounds.h"
#include "dcmrank/model/paper_problems.h"
#include "dcmrank/reproduce/measures.h"
#include "dcmrank/reproduce/part.h"

namespace dcmrank {
namespace {

constexpr std::uint64_t kFig1aSteps = 100'000;
constexpr std::uint64_t kFig1aRuns = 20;

std::vector<Trial> fig1a_trials(const Setting& setting) {
  std::vector<Trial> all;
  for (const LowerBoundClass& row : fig1a_grid()) {
    all.push_back(
        {make_dcm(row), "dcm-kl-ucb", setting.steps(kFig1aSteps), setting.runs(kFig1aRuns)});
  }
  return all;
}

TextTable table(const Setting& setting, std::span<const PolicyResult> results) {
  TextTable rows{{"L", "K", "Δ", "regret of dcmKL-UCB", "Theorem 1 (upper)",
                  "Theorem 3 · log n (lower, asymptotic)"}};
  for (std::size_t i = 0; i < results.size(); ++i) {
    const LowerBoundClass& row = fig1a_grid()[i];
    const Bounds b = bounds(make_dcm(row), setting.steps(kFig1aSteps));
    const double log_n = std::log(static_cast<double>(setting.steps(kFig1aSteps)));
    rows.push_back({fmt::format("{}", row.items), fmt::format("{}", row.positions),
                    fmt::format("{}", row.gap), text(results[i].regret),
                    fmt::format("{:.0f}", *b.theorem1),
                    fmt::format("{:.1f}", *b.lower_per_log_n * log_n)});
  }
  return rows;
}

DataTable fig1a_data(std::span<const PolicyResult> results) {
  DataTable table{{"L", "K", "gap", "regret_mean", "regret_stderr"}, {}};
  for (std::size_t i = 0; i < results.size(); ++i) {
    const LowerBoundClass& row = fig1a_grid()[i];
    const Summary& regret = results[i].regret;
    table.rows.push_back({row.items, row.positions, row.gap, regret.mean, regret.stderr_});
  }
  return table;
}

Figure figure(std::span<const PolicyResult> results) {
  Figure figure{"Regret of dcmKL-UCB over K",
                "number of positions K",
                "regret after n steps",
                Axes::kLinear,
                {},
                "",
                Legend::kBelow};
  for (std::size_t group = 0; group < 3; ++group) {
    const LowerBoundClass& first = fig1a_grid()[3 * group];
    Series series{fmt::format("L = {}, gap = {}", first.items, first.gap), {}, {}, {}};
    for (std::size_t i = 3 * group; i < 3 * group + 3; ++i) {
      series.x.push_back(static_cast<double>(fig1a_grid()[i].positions));
      series.y.push_back(results[i].regret.mean);
      series.error.push_back(results[i].regret.stderr_);
    }
    figure.series.push_back(std::move(series));
  }
  return figure;
}

// Whether regret[low] is below regret[high] for each of the pairs, and how much in words. All cells
// have their runs from the same draws, so their differences are taken run by run too.
Claim ordered(std::string id, std::string paper, std::span<const PolicyResult> results,
              const std::vector<std::pair<std::size_t, std::size_t>>& pairs) {
  Claim claim{std::move(id),
              std::move(paper),
              "each pair of neighbouring cells differs by more than twice the standard error of "
              "the difference",
              "",
              Length::kUseful,
              {}};
  std::vector<Verdict> verdicts;
  for (const auto& [low, high] : pairs) {
    verdicts.push_back(below(difference(results[low], results[high]), 0));
    claim.measured += (claim.measured.empty() ? "" : "; ") + compared(results[low], results[high]);
  }
  claim.verdict = all_of(verdicts);
  return claim;
}

Part present_fig1a(const Setting& setting, std::span<const PolicyResult> results) {
  Part part;
  part.id = kFig1a.id;
  part.title = "Fig. 1a: regret over the number of items, positions and the gap";
  part.caption = fmt::format(
      "dcmKL-UCB on B_LB(L, K, p = 0.2, Δ, γ = 0.8), n = {} steps, {} runs. The paper prints no "
      "grid of (L, K, Δ); this is that of its sister paper on cascading bandits. More items and a "
      "smaller gap cost regret; more positions save it.",
      setting.steps(kFig1aSteps), setting.runs(kFig1aRuns));
  part.figure = figure(results);
  part.table = table(setting, results);
  part.data = fig1a_data(results);
  part.claims = {
      ordered("fig1a-L", "The regret increases when the number of items L increases.", results,
              {{0, 3}, {1, 4}, {2, 5}}),
      ordered("fig1a-K", "The regret decreases when the number of recommended items K increases.",
              results, {{1, 0}, {2, 1}, {4, 3}, {5, 4}, {7, 6}, {8, 7}}),
      ordered("fig1a-gap", "The regret increases when Δ decreases.", results,
              {{0, 6}, {1, 7}, {2, 8}})};
  return part;
}

}  // namespace

const PartPlan kFig1a{"fig1a", false, false, fig1a_trials, present_fig1a};

}  // namespace dcmrank
