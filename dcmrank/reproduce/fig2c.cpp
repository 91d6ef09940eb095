// Fig. 2c (Sec. 5.3): dcmKL-UCB and ranked bandits on the DCMs of a log's most frequent queries.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "dcmrank/reproduce/curves.h"
#include "dcmrank/reproduce/measures.h"
#include "dcmrank/reproduce/part.h"
#include "dcmrank/sim/report.h"

namespace dcmrank {
namespace {

constexpr std::uint64_t kSteps = 10'000;
constexpr std::uint64_t kRuns = 5;
// All assume that higher positions are worth more, which is their default order.
constexpr std::array<const char*, 3> kPolicies{"dcm-kl-ucb", "ranked-kl-ucb", "ranked-exp3"};

std::vector<Trial> trials(const Setting& setting) {
  std::vector<Trial> all;
  for (const char* policy : kPolicies) {
    for (const QueryDcm& query : setting.queries.queries) {
      all.push_back({query.dcm, policy, setting.steps(kSteps), setting.runs(kRuns)});
    }
  }
  return all;
}

// The average over the queries, each with its own error over the runs.
Summary average(std::span<const PolicyResult> results, std::size_t step) {
  Summary sum;
  double squares = 0;
  for (const PolicyResult& result : results) {
    sum.mean += result.curve[step].mean;
    squares += result.curve[step].stderr_ * result.curve[step].stderr_;
  }
  const auto n = static_cast<double>(results.size());
  return {sum.mean / n, std::sqrt(squares) / n};
}

PolicyResult average(const char* policy, std::span<const PolicyResult> results) {
  PolicyResult mean;
  mean.policy = policy;
  mean.curve_steps = results.front().curve_steps;
  for (std::size_t s = 0; s < mean.curve_steps.size(); ++s) {
    mean.curve.push_back(average(results, s));
  }
  mean.regret = mean.curve.back();
  return mean;
}

Part present(const Setting& setting, std::span<const PolicyResult> results) {
  const std::size_t queries = setting.queries.queries.size();
  std::vector<PolicyResult> means;
  for (std::size_t p = 0; p < kPolicies.size(); ++p) {
    means.push_back(average(kPolicies.at(p), results.subspan(p * queries, queries)));
  }
  Part part;
  part.id = kFig2c.id;
  part.title = "Fig. 2c: queries of a search log";
  part.caption = fmt::format(
      "Regret averaged over the DCMs of the {} most frequent queries ({} runs each, n = {}), from "
      "{}. All algorithms assume that higher positions are worth more.{}",
      queries, setting.runs(kRuns), setting.steps(kSteps), setting.queries.source,
      queries < kPaperQueries ? " The log has no more usable queries; the paper has 20." : "");
  part.figure = curve_figure("Average regret over n steps", means);
  if (setting.queries.generated) part.figure.note = "from a generated log";
  part.table = end_table(means);
  part.data = curve_rows(means);
  const Summary best = std::min(means[1].regret, means[2].regret,
                                [](const auto& a, const auto& b) { return a.mean < b.mean; });
  const Summary factor = ratio(best, means[0].regret);
  part.claims = {
      {"fig2c-both", "dcmKL-UCB outperforms both ranked bandits.",
       "its regret is below both by more than twice the standard error of the difference",
       fmt::format("{} against {} and {}", text(means[0].regret), text(means[1].regret),
                   text(means[2].regret)),
       clearly_below(means[0].regret, means[1].regret) &&
           clearly_below(means[0].regret, means[2].regret)},
      {"fig2c", "At n = 10,000 its regret is at least two times lower than the best baseline's.",
       "the ratio of the regrets is at least 2", fmt::format("{} times", text(factor)),
       factor.mean >= 2}};
  return part;
}

}  // namespace

const PartPlan kFig2c{"fig2c", false, trials, present};

}  // namespace dcmrank
