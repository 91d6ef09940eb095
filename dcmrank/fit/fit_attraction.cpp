#include "dcmrank/fit/fit_attraction.h"

namespace dcmrank {

FittedModel fit_attraction(const Sample& sample, const Prior& prior,
                           Counts (*counts_of)(const ItemCounts&)) {
  FittedModel fitted;
  for (const SampleQuery& query : sample.queries) {
    fitted.queries.push_back({query.id, query.counts.impressions, {}, {}});
    for (std::size_t i = query.begin; i < query.end; ++i) {
      const SampleItem& item = sample.items[i];
      const Counts counts = counts_of(item.counts);
      fitted.queries.back().items.push_back({item.id,
                                             estimate(counts, prior),
                                             counts.observed,
                                             counts.attracted,
                                             item.counts.impressions,
                                             {}});
    }
  }
  return fitted;
}

}  // namespace dcmrank
