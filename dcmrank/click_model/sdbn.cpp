// O. Chapelle, Y. Zhang: A dynamic Bayesian network click model for web search ranking. WWW 2009.
#include "dcmrank/click_model/click_model.h"
#include "dcmrank/click_model/dbn_em.h"
#include "dcmrank/click_model/walk.h"
#include "dcmrank/em/chain.h"
#include "dcmrank/fit/fit_attraction.h"

namespace dcmrank {
namespace {

// As in the DCM, but whether a click satisfies depends on the item, not on the position.
void sdbn_full(const PageParameters& page, std::span<double> p) {
  full_walk(page.attraction, page.items[0], p);
}

void sdbn_conditional(const PageParameters& page, Clicks clicks, std::span<double> p) {
  conditional_walk(page.attraction, page.items[0], clicks, p);
}

double sdbn_satisfaction(const PageParameters& page) {
  return leaves_at_a_click(page.attraction, page.items[0]);
}

// The simplified DBN: all up to the last click was examined, and only the last click satisfied.
FittedModel count_sdbn(const Sample& sample, const FitOptions& options) {
  FittedModel fitted =
      fit_attraction(sample, options.prior, [](const ItemCounts& counts) { return counts.prefix; });
  for (std::size_t q = 0; q < sample.queries.size(); ++q) {
    const SampleQuery& query = sample.queries[q];
    for (std::size_t i = query.begin; i < query.end; ++i) {
      const ItemCounts& counts = sample.items[i].counts;
      fitted.queries[q].items[i - query.begin].parameters = {
          estimate({counts.prefix.attracted, counts.last}, options.prior)};
      if (counts.prefix.attracted == 0) {
        fitted.queries[q].items[i - query.begin].unidentified = {"satisfaction"};
      }
    }
  }
  return fitted;
}

FittedModel fit_sdbn(const Sample& sample, const FitOptions& options) {
  return options.method == Method::kEm ? fit_dbn_by_em(sample, options, "")
                                       : count_sdbn(sample, options);
}

}  // namespace

const ClickModel kSdbnModel{.name = "sdbn",
                            .summary = "simplified DBN: attraction and satisfaction per item",
                            .items = {"satisfaction"},
                            .full = sdbn_full,
                            .conditional = sdbn_conditional,
                            .methods = {Method::kCount, Method::kEm},
                            .fit = fit_sdbn,
                            .needs = needs_chains,
                            .satisfaction = sdbn_satisfaction,
                            .fits_each_query = true};

}  // namespace dcmrank
