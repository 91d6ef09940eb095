// How often the printed intervals of attractions cover the truth, in logs that users of the model
// itself made: docs/fitting.md has the table. `make interval-bench`.
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "dcmrank/base/parallel.h"
#include "dcmrank/click_model/attraction_interval.h"
#include "dcmrank/click_model/click_model.h"
#include "dcmrank/click_model/made_up_test.h"
#include "dcmrank/fit/sample.h"
#include "dcmrank/prediction/generate.h"

namespace {

using namespace dcmrank;

constexpr std::size_t kLogs = 200;

FittedModel fit_log(const ClickModel& model, Method method, const FittedModel& truth,
                    RankingKind ranking, std::size_t impressions, std::uint64_t seed) {
  FitOptions options;
  options.method = method;
  options.intervals = true;
  LogGenerator generator(truth, ranking, Rng(seed));
  Statistics statistics(model.needs(options));
  for (std::size_t i = 0; i < impressions; ++i) statistics.add(generator.next());
  return fit(model, make_sample(statistics, {}), options);
}

struct Coverage {
  double covered = 0;
  double intervals = 0;
};

Coverage coverage_of(const FittedModel& truth, const FittedModel& fitted) {
  std::map<std::string, double> attraction;
  for (const FittedQuery& query : truth.queries) {
    for (const FittedItem& item : query.items) attraction[item.item] = item.attraction;
  }
  Coverage result;
  for (const FittedQuery& query : fitted.queries) {
    for (const FittedItem& item : query.items) {
      const auto interval = attraction_interval(fitted, item);
      if (!interval) continue;
      const double w = attraction.at(item.item);
      result.covered += interval->low <= w && w <= interval->high ? 1 : 0;
      result.intervals += 1;
    }
  }
  return result;
}

std::string cell(const ClickModel& model, Method method, RankingKind ranking,
                 std::size_t impressions) {
  const FittedModel truth = made_up(model, 7);
  std::vector<Coverage> logs(kLogs);
  parallel_for(kLogs, resolve_threads(0), [&](std::size_t n) {
    logs[n] = coverage_of(truth, fit_log(model, method, truth, ranking, impressions, 1000 + n));
  });
  Coverage sum;
  for (const Coverage& log : logs) {
    sum.covered += log.covered;
    sum.intervals += log.intervals;
  }
  if (sum.intervals == 0) return "none";
  return fmt::format("{:.1f} % of {:.0f}", 100 * sum.covered / sum.intervals, sum.intervals);
}

}  // namespace

int main() {
  fmt::print(
      "| model, {} logs each | random lists, 600 pages | 5,000 pages | same lists, 5,000 pages |\n"
      "| --- | --- | --- | --- |\n",
      kLogs);
  for (const ClickModel* model : click_models()) {
    for (const Method method : model->methods) {
      fmt::print("| `{}`, {} | {} | {} | {} |\n", model->name, name_of(method),
                 cell(*model, method, RankingKind::kRandom, 600),
                 cell(*model, method, RankingKind::kRandom, 5000),
                 cell(*model, method, RankingKind::kOptimal, 5000));
      std::fflush(stdout);
    }
  }
  return 0;
}
