// Fig. 1b (Sec. 5.1): regret of dcmKL-UCB over gamma, for three K.
#include <array>

#include <fmt/format.h>

#include "dcmrank/model/paper_problems.h"
#include "dcmrank/reproduce/measures.h"
#include "dcmrank/reproduce/part.h"

namespace dcmrank {
namespace {

constexpr std::uint64_t kFig1bSteps = 100'000;
constexpr std::uint64_t kFig1bRuns = 20;
constexpr std::array<std::size_t, 3> kPositions{2, 4, 8};
constexpr std::size_t kGammas = 10;

// 0.1, ..., 1; written so that 0.8 is the same double as in Fig. 1a.
double gamma(std::size_t i) { return static_cast<double>(i + 1) / 10; }

std::vector<Trial> fig1b_trials(const Setting& setting) {
  std::vector<Trial> all;
  for (const std::size_t positions : kPositions) {
    for (std::size_t i = 0; i < kGammas; ++i) {
      all.push_back({make_dcm(fig1b_problem(positions, gamma(i))), "dcm-kl-ucb",
                     setting.steps(kFig1bSteps), setting.runs(kFig1bRuns)});
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

DataTable fig1b_data(std::span<const PolicyResult> results) {
  DataTable table{{"K", "gamma", "regret_mean", "regret_stderr"}, {}};
  for (std::size_t j = 0; j < results.size(); ++j) {
    const Summary& regret = results[j].regret;
    table.rows.push_back(
        {kPositions.at(j / kGammas), gamma(j % kGammas), regret.mean, regret.stderr_});
  }
  return table;
}

double mean_without(std::size_t run, std::span<const double> per_run) {
  double sum = 0;
  for (std::size_t r = 0; r < per_run.size(); ++r) sum += r == run ? 0 : per_run[r];
  return sum / static_cast<double>(per_run.size() - (run < per_run.size() ? 1 : 0));
}

// R² of the line of one K through the mean regrets of all runs but one.
double r_squared_without(std::size_t run, std::span<const PolicyResult> results,
                         std::size_t group) {
  std::array<double, kGammas> x{};
  std::array<double, kGammas> y{};
  for (std::size_t i = 0; i < kGammas; ++i) {
    x.at(i) = gamma(i);
    y.at(i) = mean_without(run, results[group * kGammas + i].regret_per_run);
  }
  return fit_line(x, y).r_squared;
}

Summary r_squared(std::span<const PolicyResult> results, std::size_t group) {
  return jackknife(results.front().regret_per_run.size(),
                   [&](std::size_t run) { return r_squared_without(run, results, group); });
}

Summary r_squared_difference(std::span<const PolicyResult> results, std::size_t a, std::size_t b) {
  return jackknife(results.front().regret_per_run.size(), [&](std::size_t run) {
    return r_squared_without(run, results, a) - r_squared_without(run, results, b);
  });
}

std::string r_squared_text(const Summary& value) {
  return fmt::format("{:.3f} ± {:.3f}", value.mean, value.stderr_);
}

Claim linear_claim(std::span<const PolicyResult> results) {
  const Summary two = r_squared(results, 0);
  const Summary four = r_squared(results, 1);
  return {"fig1b-linear",
          "The regret grows linearly with γ when p < 1/K (K = 2 and 4 here).",
          "a straight line explains more than 95 % of the variance over γ (errors by jackknife "
          "over the runs)",
          fmt::format("R² = {} (K = 2), {} (K = 4)", r_squared_text(two), r_squared_text(four)),
          Length::kUseful,
          all_of({above(two, 0.95), above(four, 0.95)})};
}

Claim less_prominent_claim(std::span<const PolicyResult> results) {
  return {"fig1b-less",
          "This trend is less prominent when p > 1/K (K = 8 here).",
          "R² of the line is lower for K = 8 than for K = 2 and K = 4 (errors of the differences "
          "by jackknife over the runs)",
          fmt::format("R² = {} (K = 8)", r_squared_text(r_squared(results, 2))),
          Length::kUseful,
          all_of({below(r_squared_difference(results, 2, 0), 0),
                  below(r_squared_difference(results, 2, 1), 0)})};
}

Part present_fig1b(const Setting& setting, std::span<const PolicyResult> results) {
  Part part;
  part.id = kFig1b.id;
  part.title = "Fig. 1b: regret over the common termination probability γ";
  part.caption = fmt::format(
      "dcmKL-UCB on B_LB(L = 16, K, p = 0.2, Δ = 0.15, γ), n = {} steps, {} runs; the lines are "
      "least-squares fits. Fewer clicks (larger γ) mean slower learning; with enough positions "
      "it hardly matters.",
      setting.steps(kFig1bSteps), setting.runs(kFig1bRuns));
  part.figure = {"Regret of dcmKL-UCB over γ",
                 "termination probability γ",
                 "regret after n steps",
                 Axes::kLinear,
                 {},
                 "",
                 Legend::kBelow};
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
  part.data = fig1b_data(results);
  part.claims = {linear_claim(results), less_prominent_claim(results)};
  return part;
}

}  // namespace

const PartPlan kFig1b{"fig1b", false, false, fig1b_trials, present_fig1b};

}  // namespace dcmrank
