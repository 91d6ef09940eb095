// O. Chapelle, Y. Zhang: A dynamic Bayesian network click model for web search ranking. WWW 2009.
#include "dcmrank/click_model/click_model.h"

namespace dcmrank {
namespace {

// As in the DCM, but whether a click satisfies depends on the item, not on the position.
void full(const PageParameters& page, std::span<double> p) {
  full_walk(page.attraction, page.satisfaction, p);
}

void conditional(const PageParameters& page, Clicks clicks, std::span<double> p) {
  conditional_walk(page.attraction, page.satisfaction, clicks, p);
}

// The simplified DBN: all up to the last click was examined, and only the last click satisfied.
FittedModel fit_sdbn(const Sample& sample, const FitOptions& options) {
  FittedModel fitted =
      fit_attraction(sample, options.prior, [](const ItemCounts& counts) { return counts.prefix; });
  for (std::size_t q = 0; q < sample.queries.size(); ++q) {
    const SampleQuery& query = sample.queries[q];
    for (std::size_t i = query.begin; i < query.end; ++i) {
      const ItemCounts& counts = sample.items[i].counts;
      fitted.queries[q].items[i - query.begin].satisfaction =
          estimate({counts.prefix.attracted, counts.last}, options.prior);
    }
  }
  return fitted;
}

}  // namespace

const ClickModel kSdbnModel{"sdbn",   "simplified DBN: attraction and satisfaction per item",
                            full,     conditional,
                            fit_sdbn, [](const FitOptions&) { return Needs{}; }};

}  // namespace dcmrank
