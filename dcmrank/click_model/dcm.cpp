// F. Guo, C. Liu, Y. M. Wang: Efficient multiple-click models in web search. WSDM 2009.
#include "dcmrank/click_model/click_model.h"
#include "dcmrank/click_model/dcm_em.h"
#include "dcmrank/click_model/walk.h"
#include "dcmrank/fit/fit_attraction.h"

namespace dcmrank {
namespace {

void dcm_full(const PageParameters& page, std::span<double> p) {
  full_walk(page.attraction, page.lists[0], p);
}

void dcm_conditional(const PageParameters& page, Clicks clicks, std::span<double> p) {
  conditional_walk(page.attraction, page.lists[0], clicks, p);
}

double dcm_satisfaction(const PageParameters& page) {
  return leaves_at_a_click(page.attraction, page.lists[0]);
}

// Guo et al.'s count: of the clicks at a position, those that were the last of their list.
FittedList termination(const QueryCounts& counts, const Prior& prior, std::size_t positions) {
  FittedList result{std::vector<double>(positions, prior.mean()), {}};
  for (std::size_t k = 0; k < counts.positions.size(); ++k) {
    const PositionCounts& at = counts.positions[k];
    result.values[k] = estimate({at.clicked, at.last}, prior);
    // A last click on the last item shown tells nothing: the user might have gone on.
    if (at.clicked == at.end) result.unidentified.push_back(k + 1);
  }
  return result;
}

FittedModel count(const Sample& sample, const FitOptions& options) {
  FittedModel fitted =
      fit_attraction(sample, options.prior, [](const ItemCounts& counts) { return counts.prefix; });
  QueryCounts all;
  for (std::size_t q = 0; q < sample.queries.size(); ++q) {
    const QueryCounts& counts = sample.queries[q].counts;
    all.merge(counts);
    if (options.shared) continue;
    fitted.queries[q].lists[kTermination] =
        termination(counts, options.prior, counts.positions.size());
  }
  if (options.shared) {
    fitted.lists[kTermination] = termination(all, options.prior, sample.positions);
  }
  return fitted;
}

FittedModel fit_dcm(const Sample& sample, const FitOptions& options) {
  FittedModel fitted = count(sample, options);
  if (options.method == Method::kEm) improve_by_em(sample, options, fitted);
  return fitted;
}

}  // namespace

const ClickModel kDcmModel{
    .name = "dcm",
    .summary = "dependent click model: attraction per item, termination per position",
    .lists = {{.name = kTermination,
               .scope = Scope::kPerQuery,
               .unidentified = "unidentified",
               .ranks_positions = true}},
    .full = dcm_full,
    .conditional = dcm_conditional,
    .methods = {Method::kCount, Method::kEm},
    .fit = fit_dcm,
    .needs =
        [](const FitOptions& options) {
          Needs needs;
          needs.tails = options.method == Method::kEm;
          return needs;
        },
    .satisfaction = dcm_satisfaction,
    .best_by_attraction = true,
    .fits_each_query = true,
};

}  // namespace dcmrank
