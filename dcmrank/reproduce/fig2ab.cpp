// Fig. 2a and 2b (Sec. 5.2): dcmKL-UCB against single-click heuristics and ranked bandits.
#include <fmt/format.h>

#include "dcmrank/model/paper_problems.h"
#include "dcmrank/reproduce/curves.h"
#include "dcmrank/reproduce/measures.h"
#include "dcmrank/reproduce/part.h"
#include "dcmrank/sim/report.h"

namespace dcmrank {
namespace {

constexpr std::uint64_t kFig2abSteps = 100'000;
constexpr std::uint64_t kFig2abRuns = 20;

std::vector<Trial> trials_of(const Setting& setting, const std::vector<std::string>& policies) {
  std::vector<Trial> all;
  all.reserve(policies.size());
  for (const std::string& policy : policies) {
    all.push_back(
        {make_dcm(fig2_problem()), policy, setting.steps(kFig2abSteps), setting.runs(kFig2abRuns)});
  }
  return all;
}

std::vector<Trial> trials_2a(const Setting& setting) {
  return trials_of(setting, {"dcm-kl-ucb", "first-click", "last-click"});
}

std::vector<Trial> trials_2b(const Setting& setting) {
  return trials_of(setting, {"dcm-kl-ucb", "ranked-kl-ucb"});
}

Part common(const Setting& setting, std::span<const PolicyResult> results,
            const std::string& title) {
  Part part;
  part.title = title;
  part.caption = fmt::format(
      "B_LB(L = 16, K = 4, p = 0.2, Δ = 0.15, γ = 0.5), n = {} steps, {} runs; bands are standard "
      "errors. ",
      setting.steps(kFig2abSteps), setting.runs(kFig2abRuns));
  part.figure = curve_figure("Regret over n steps", results);
  part.table = end_table(results);
  part.data = curve_rows(results);
  return part;
}

Part present_2a(const Setting& setting, std::span<const PolicyResult> results) {
  Part part = common(setting, results, "Fig. 2a: first click and last click");
  part.id = kFig2a.id;
  part.caption += "Both heuristics throw away or misread clicks, and learn more slowly.";
  part.claims = {
      {"fig2a", "The regret of dcmKL-UCB is clearly the lowest among all compared methods.",
       "it is below each other one by more than twice the standard error of the difference",
       fmt::format("First-Click: {}; Last-Click: {}", compared(results[0], results[1]),
                   compared(results[0], results[2])),
       Length::kUseful,
       all_of({below(difference(results[0], results[1]), 0),
               below(difference(results[0], results[2]), 0)})}};
  return part;
}

Part present_2b(const Setting& setting, std::span<const PolicyResult> results) {
  Part part = common(setting, results, "Fig. 2b: ranked bandits");
  part.id = kFig2b.id;
  part.caption +=
      "RankedKL-UCB learns every position on its own. A position takes its best item not placed "
      "above it; with Radlinski's own rule (duplicates=random) it would be far worse.";
  const Summary factor = ratio(results[1], results[0]);
  part.claims = {
      {"fig2b", "The regret of RankedKL-UCB is three times higher than that of dcmKL-UCB.",
       "the ratio of the regrets is between 2.5 and 3.5", fmt::format("{} times", text(factor)),
       Length::kPaper, between(factor, 2.5, 3.5)},
      {"fig2b-K", "dcmKL-UCB can learn K times faster than a ranked bandit (K = 4).",
       "the ratio of the regrets is within a quarter of K", fmt::format("{} times", text(factor)),
       Length::kPaper, between(factor, 3, 5)}};
  return part;
}

}  // namespace

const PartPlan kFig2a{"fig2a", false, false, trials_2a, present_2a};
const PartPlan kFig2b{"fig2b", false, false, trials_2b, present_2b};

}  // namespace dcmrank
