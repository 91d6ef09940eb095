#include "dcmrank/click_model/examination_em.h"

#include "dcmrank/click_model/em.h"
#include "dcmrank/click_model/fit_attraction.h"

namespace dcmrank {
namespace {

// What is expected of an item in a context: where it was skipped, it was examined with probability
// x (1 - w) / (1 - w x).
double expect_examination(const Counts& c, double w, double x, Counts& item, Counts& context) {
  const double skips = c.observed - c.attracted;
  const double examined = c.attracted + skips * x * (1 - w) / (1 - w * x);
  item.merge({examined, c.attracted});
  context.merge({c.observed, examined});
  return weighted_log(c.attracted, w * x) + weighted_log(skips, 1 - w * x);
}

std::vector<double> start_of(const Sample& sample, const FitOptions& options, std::size_t entries) {
  const Prior inside{options.prior.successes + 0.5, options.prior.failures + 0.5};
  std::vector<double> start;
  for (const SampleItem& item : sample.items) {
    start.push_back(estimate({item.counts.impressions, item.counts.prefix.attracted}, inside));
  }
  start.push_back(1);
  start.resize(sample.items.size() + entries, 0.5);
  return start;
}

}  // namespace

FittedModel fit_examination(const Sample& sample, const FitOptions& options, std::size_t entries,
                            std::size_t (*index_of)(const ContextCounts& context)) {
  EmModel model;
  for (const SampleQuery& query : sample.queries) model.own.push_back(query.end - query.begin);
  model.start = start_of(sample, options, entries);
  model.fixed.assign(entries, 0);
  model.fixed[0] = 1;
  model.of_counts = [&](std::size_t q, const EmView& view) {
    double sum = 0;
    const std::size_t begin = sample.queries[q].begin;
    for (std::size_t i = 0; i < view.own.size(); ++i) {
      for (const ContextCounts& context : sample.items[begin + i].contexts) {
        const std::size_t b = index_of(context);
        sum += expect_examination(context.counts, view.own[i], view.shared[b], view.own_counts[i],
                                  view.shared_counts[b]);
      }
    }
    return sum;
  };
  EmResult result = run_em(sample, model, options);
  FittedModel fitted = fit_attraction(sample, options.prior, [](const ItemCounts& counts) {
    return Counts{counts.impressions, counts.prefix.attracted};
  });
  fitted.em = std::move(result.trace);
  for (std::size_t q = 0; q < fitted.queries.size(); ++q) {
    store_attraction(result, sample.queries[q].begin, fitted.queries[q].items);
  }
  fitted.lists[kExamination].values.assign(
      result.parameters.end() - static_cast<std::ptrdiff_t>(entries), result.parameters.end());
  return fitted;
}

}  // namespace dcmrank
