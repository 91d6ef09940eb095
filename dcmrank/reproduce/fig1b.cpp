// Fig. 1b (Sec. 5.1): regret of dcmKL-UCB over gamma, for three K.
#include <array>

#include <fmt/format.h>

#include "dcmrank/model/paper_problems.h"
#include "dcmrank/reproduce/measures.h"
#include "dcmrank/reproduce/part.h"

namespace dcmrank {
namespace {

constexpr std::uint64_t kSteps = 100'000;
constexpr std::uint64_t kRuns = 20;
constexpr std::array<std::size_t, 3> kPositions{2, 4, 8};
constexpr std::size_t kGammas = 10;

// 0.1, ..., 1; written so that 0.8 is the same double as in Fig. 1a.
double gamma(std::size_t i) { return static_cast<double>(i + 1) / 10; }

std::vector<Trial> trials(const Setting& setting) {
  std::vector<Trial> all;
  for (const std::size_t positions : kPositions) {
    for (std::size_t i = 0; i < kGammas; ++i) {
      all.push_back({make_dcm(fig1b_problem(positions, gamma(i))), "dcm-kl-ucb",
                     setting.steps(kSteps), setting.runs(kRuns)});
    }
  }
  return all;
}

// The measured points of one K.
Series points(std::span<const PolicyResult> results, std::size_t group) {
  Series series{fmt::format("K = {}", kPositions.at(group)), {}, {}, {}, Style::kPoints};
  for (std::size_t i = 0; i < kGammas; ++i) {
    const Summary& regret = results[group * kGammas + i].regret;
    series.x.push_back(gamma(i));
    series.y.push_back(regret.mean);
    series.error.push_back(regret.stderr_);
  }
  return series;
}

Series line(const Line& fit, std::size_t group) {
  return {fmt::format("line, K = {}", kPositions.at(group)),
          {0, 1},
          {fit.intercept, fit.intercept + fit.slope},
          {},
          Style::kCalculated};
}

DataTable data(std::span<const PolicyResult> results) {
  DataTable table{{"K", "gamma", "regret_mean", "regret_stderr"}, {}};
  for (std::size_t j = 0; j < results.size(); ++j) {
    const Summary& regret = results[j].regret;
    table.rows.push_back(
        {kPositions.at(j / kGammas), gamma(j % kGammas), regret.mean, regret.stderr_});
  }
  return table;
}

Claim linear_claim(const std::array<Line, 3>& lines) {
  return {
      "fig1b-linear", "The regret grows linearly with γ when p < 1/K (K = 2 and 4 here).",
      "a straight line explains at least 95 % of the variance over γ",
      fmt::format("R² = {:.3f} (K = 2), {:.3f} (K = 4)", lines[0].r_squared, lines[1].r_squared),
      lines[0].r_squared >= 0.95 && lines[1].r_squared >= 0.95};
}

Claim less_prominent_claim(const std::array<Line, 3>& lines) {
  return {"fig1b-less", "This trend is less prominent when p > 1/K (K = 8 here).",
          "R² of the line is lower for K = 8 than for K = 2 and K = 4",
          fmt::format("R² = {:.3f} (K = 8)", lines[2].r_squared),
          lines[2].r_squared < lines[0].r_squared && lines[2].r_squared < lines[1].r_squared};
}

Part present(const Setting& setting, std::span<const PolicyResult> results) {
  Part part;
  part.id = kFig1b.id;
  part.title = "Fig. 1b: regret over the common termination probability γ";
  part.caption = fmt::format(
      "dcmKL-UCB on B_LB(L = 16, K, p = 0.2, Δ = 0.15, γ), n = {} steps, {} runs; the lines are "
      "least-squares fits. Fewer clicks (larger γ) mean slower learning, until so many positions "
      "are seen anyway that it hardly matters.",
      setting.steps(kSteps), setting.runs(kRuns));
  part.figure = {"Regret of dcmKL-UCB over γ",
                 "termination probability γ",
                 "regret after n steps",
                 Axes::kLinear,
                 {},
                 "",
                 kKeyBelow};
  part.table = {{"K", "intercept", "slope", "R²"}};
  std::array<Line, 3> lines;
  for (std::size_t group = 0; group < kPositions.size(); ++group) {
    const Series measured = points(results, group);
    lines.at(group) = fit_line(measured.x, measured.y);
    const Line& fit = lines.at(group);
    part.table.push_back({fmt::format("{}", kPositions.at(group)),
                          fmt::format("{:.1f}", fit.intercept), fmt::format("{:.1f}", fit.slope),
                          fmt::format("{:.3f}", fit.r_squared)});
    part.figure.series.push_back(measured);
  }
  for (std::size_t group = 0; group < 3; ++group) {
    part.figure.series.push_back(line(lines.at(group), group));
  }
  part.data = data(results);
  part.claims = {linear_claim(lines), less_prominent_claim(lines)};
  return part;
}

}  // namespace

const PartPlan kFig1b{"fig1b", false, trials, present};

}  // namespace dcmrank
