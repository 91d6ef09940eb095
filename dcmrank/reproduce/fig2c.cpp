// Fig. 2c (Sec. 5.3): dcmKL-UCB and ranked bandits on the DCMs of a log's most frequent queries.
#include <array>

#include <fmt/format.h>

#include "dcmrank/reproduce/curves.h"
#include "dcmrank/reproduce/measures.h"
#include "dcmrank/reproduce/part.h"
#include "dcmrank/sim/report.h"

namespace dcmrank {
namespace {

constexpr std::uint64_t kFig2cSteps = 10'000;
constexpr std::uint64_t kFig2cRuns = 5;
// All assume that higher positions are worth more, which is their default order.
constexpr std::array<const char*, 3> kPolicies{"dcm-kl-ucb", "ranked-kl-ucb", "ranked-exp3"};

std::vector<Trial> fig2c_trials(const Setting& setting) {
  std::vector<Trial> all;
  for (const char* policy : kPolicies) {
    for (const QueryDcm& query : setting.queries.queries) {
      all.push_back({query.dcm, policy, setting.steps(kFig2cSteps), setting.runs(kFig2cRuns)});
    }
  }
  return all;
}

Part present_fig2c(const Setting& setting, std::span<const PolicyResult> results) {
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
      queries, setting.runs(kFig2cRuns), setting.steps(kFig2cSteps), setting.queries.source,
      queries < kPaperQueries ? " The log has no more usable queries; the paper has 20." : "");
  part.figure = curve_figure("Average regret over n steps", means);
  if (setting.queries.generated) part.figure.note = "from a generated log";
  part.table = end_table(means);
  part.data = curve_rows(means);
  const PolicyResult& best = means[1].regret.mean < means[2].regret.mean ? means[1] : means[2];
  const Summary factor = ratio(best, means[0]);
  part.claims = {
      {"fig2c-both", "dcmKL-UCB outperforms both ranked bandits.",
       "its regret is below both by more than twice the standard error of the difference",
       fmt::format("RankedKL-UCB: {}; RankedExp3: {}", compared(means[0], means[1]),
                   compared(means[0], means[2])),
       Length::kUseful,
       all_of(
           {below(difference(means[0], means[1]), 0), below(difference(means[0], means[2]), 0)})},
      {"fig2c", "At n = 10,000 its regret is at least two times lower than the best baseline's.",
       "the ratio of the regrets is at least 2", fmt::format("{} times", text(factor)),
       Length::kPaper, above(factor, 2)}};
  return part;
}

}  // namespace

const PartPlan kFig2c{"fig2c", false, true, fig2c_trials, present_fig2c};

}  // namespace dcmrank
