// Ours: the recommended policy on all synthetic problems of the paper, beside the lower bound.
#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "dcmrank/bounds/bounds.h"
#include "dcmrank/model/paper_problems.h"
#include "dcmrank/reproduce/curves.h"
#include "dcmrank/reproduce/measures.h"
#include "dcmrank/reproduce/part.h"

namespace dcmrank {
namespace {

constexpr std::uint64_t kRecommendedSteps = 100'000;
constexpr std::uint64_t kRecommendedRuns = 20;

std::vector<LowerBoundClass> problems() {
  std::vector<LowerBoundClass> all(fig1a_grid().begin(), fig1a_grid().end());
  all.push_back(fig2_problem());
  return all;
}

// For each problem: as published, with the repaired counting, recommended.
std::vector<Trial> recommended_trials(const Setting& setting) {
  std::vector<Trial> all;
  for (const LowerBoundClass& problem : problems()) {
    for (const char* policy : {"dcm-kl-ucb", "dcm-kl-ucb:counting=em", "recommended"}) {
      all.push_back({make_dcm(problem), policy, setting.steps(kRecommendedSteps),
                     setting.runs(kRecommendedRuns)});
    }
  }
  return all;
}

std::string name(const LowerBoundClass& p) {
  return fmt::format("L = {}, K = {}, Δ = {}, γ = {}", p.items, p.positions, p.gap, p.gamma);
}

// A row for each problem and the sums over all of them.
struct Comparison {
  TextTable table{{"problem", "dcmKL-UCB", "repaired counting", "recommended",
                   "recommended / dcmKL-UCB", "Theorem 3 · log n", "recommended / bound"}};
  DataTable data{{"L", "K", "gap", "gamma", "dcm_kl_ucb", "repaired", "recommended", "lower_bound"},
                 {}};
  Series bound{"Theorem 3 · log n (asymptotic lower bound)", {}, {}, {}, Style::kPoints};
  std::vector<double> published;    // by run, summed over the problems
  std::vector<double> recommended;  // the same
  std::vector<Verdict> below;       // by problem
};

void add(const std::vector<double>& per_run, std::vector<double>& sums) {
  sums.resize(per_run.size(), 0);
  std::transform(per_run.begin(), per_run.end(), sums.begin(), sums.begin(), std::plus<>());
}

void add(const LowerBoundClass& problem, std::span<const PolicyResult> results, double log_n,
         Comparison& sum) {
  const double lower = *theorem3(make_dcm(problem)) * log_n;
  const Summary& published = results[0].regret;
  const Summary& recommended = results[2].regret;
  sum.table.push_back({name(problem), text(published), text(results[1].regret), text(recommended),
                       text(ratio(results[2], results[0])), fmt::format("{:.1f}", lower),
                       fmt::format("{:.2f}", recommended.mean / lower)});
  sum.data.rows.push_back({problem.items, problem.positions, problem.gap, problem.gamma,
                           published.mean, results[1].regret.mean, recommended.mean, lower});
  sum.bound.x.push_back(static_cast<double>(sum.bound.x.size() + 1));
  sum.bound.y.push_back(lower);
  sum.bound.error.push_back(0);
  add(results[0].regret_per_run, sum.published);
  add(results[2].regret_per_run, sum.recommended);
  sum.below.push_back(below(difference(results[2], results[0]), 0));
}

Part present_recommended(const Setting& setting, std::span<const PolicyResult> results) {
  const auto all = problems();
  const double log_n = std::log(static_cast<double>(setting.steps(kRecommendedSteps)));
  Comparison sum;
  for (std::size_t i = 0; i < all.size(); ++i) add(all[i], results.subspan(3 * i, 3), log_n, sum);
  const Summary factor = paired_ratio(sum.recommended, sum.published);
  Part part;
  part.id = kRecommended.id;
  part.title = "The recommended policy on the paper's problems";
  part.beyond = true;
  part.caption = fmt::format(
      "The ten synthetic problems of Fig. 1a and Fig. 2 in the order of the table, n = {} steps, "
      "{} "
      "runs. Theorem 3 is asymptotic: at finite n a regret may be below it.",
      setting.steps(kRecommendedSteps), setting.runs(kRecommendedRuns));
  part.figure = {"Regret on the paper's problems",
                 "problem (row of the table)",
                 "regret after n steps",
                 Axes::kLinear,
                 {},
                 "",
                 Legend::kBelow};
  part.figure.series = {regret_points("dcmKL-UCB, as published", results, 3, 0),
                        regret_points("dcmKL-UCB, repaired counting", results, 3, 1),
                        regret_points("recommended", results, 3, 2), sum.bound};
  for (std::size_t n = 1; n <= all.size(); ++n) {
    part.figure.categories.push_back(fmt::format("{}", n));
  }
  stand_side_by_side(part.figure.series);
  part.table = std::move(sum.table);
  part.data = std::move(sum.data);
  part.claims = {
      {"recommended-all", "Ours: the recommended policy has the lower regret on every problem.",
       "it is below dcmKL-UCB by more than twice the standard error of the difference",
       fmt::format("{} of {} problems",
                   std::count_if(sum.below.begin(), sum.below.end(), std::mem_fn(&Verdict::holds)),
                   all.size()),
       Length::kUseful, all_of(sum.below)},
      {"recommended-sum", "Ours: summed over the problems, it has at most 0.4 times the regret.",
       "the ratio of the sums, run by run, is below 0.4", text(factor), Length::kPaper,
       below(factor, 0.4)}};
  return part;
}

}  // namespace

const PartPlan kRecommended{"recommended", true, false, recommended_trials, present_recommended};

}  // namespace dcmrank
