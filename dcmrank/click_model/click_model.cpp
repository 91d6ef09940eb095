#include "dcmrank/click_model/click_model.h"

#include <array>

#include "dcmrank/base/choices.h"

namespace dcmrank {

std::span<const ClickModel* const> click_models() {
  static constexpr std::array kModels{&kDcmModel, &kCascadeModel, &kDctrModel, &kPbmModel,
                                      &kSdbnModel};
  return kModels;
}

const ClickModel& click_model(const std::string& name, const std::string& what) {
  return *choose(what, name, click_models(), &ClickModel::name);
}

FittedModel fit(const ClickModel& model, const Sample& sample, const FitOptions& options) {
  FittedModel fitted = model.fit(sample, options);
  fitted.model = model.name;
  fitted.method = options.method == Method::kEm ? "em" : "count";
  fitted.positions = sample.positions;
  fitted.prior = options.prior;
  return fitted;
}

FittedModel fit_attraction(const Sample& sample, const Prior& prior,
                           Counts (*counts_of)(const ItemCounts&)) {
  FittedModel fitted;
  for (const SampleQuery& query : sample.queries) {
    fitted.queries.push_back({query.id, query.counts.impressions, {}, {}, {}});
    for (std::size_t i = query.begin; i < query.end; ++i) {
      const SampleItem& item = sample.items[i];
      const Counts counts = counts_of(item.counts);
      fitted.queries.back().items.push_back({item.id, estimate(counts, prior), 0, counts.observed,
                                             counts.attracted, item.counts.impressions});
    }
  }
  return fitted;
}

void full_walk(std::span<const double> attraction, std::span<const double> leaves,
               std::span<double> p) {
  double examined = 1;
  for (std::size_t k = 0; k < p.size(); ++k) {
    const double w = attraction[k];
    p[k] = w * examined;
    examined *= w * (1 - leaves[k]) + (1 - w);
  }
}

void conditional_walk(std::span<const double> attraction, std::span<const double> leaves,
                      Clicks clicks, std::span<double> p) {
  double examined = 1;
  for (std::size_t k = 0; k < p.size(); ++k) {
    const double w = attraction[k];
    p[k] = w * examined;
    if (clicks[k] != 0) {
      examined = 1 - leaves[k];
    } else {
      // Bayes: examined and skipped, of all ways to skip. A certain click that did not come has
      // no posterior: then nothing below was examined.
      examined = p[k] < 1 ? examined * (1 - w) / (1 - p[k]) : 0;
    }
  }
}

}  // namespace dcmrank
