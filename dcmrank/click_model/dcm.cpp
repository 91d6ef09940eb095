// F. Guo, C. Liu, Y. M. Wang: Efficient multiple-click models in web search. WSDM 2009.
#include "dcmrank/click_model/click_model.h"
#include "dcmrank/click_model/dcm_em.h"

namespace dcmrank {
namespace {

void full(const PageParameters& page, std::span<double> p) {
  full_walk(page.attraction, page.position, p);
}

void conditional(const PageParameters& page, Clicks clicks, std::span<double> p) {
  conditional_walk(page.attraction, page.position, clicks, p);
}

// Guo et al.'s count: of the clicks at a position, those that were the last of their list.
std::vector<double> termination(const QueryCounts& counts, const Prior& prior,
                                std::size_t positions) {
  std::vector<double> result(positions, prior.mean());
  for (std::size_t k = 0; k < counts.positions.size(); ++k) {
    result[k] = estimate({counts.positions[k].clicked, counts.positions[k].last}, prior);
  }
  return result;
}

// A last click on the last item shown tells nothing: the user might have gone on.
std::vector<std::size_t> unidentified(const QueryCounts& counts) {
  std::vector<std::size_t> positions;
  for (std::size_t k = 0; k < counts.positions.size(); ++k) {
    if (counts.positions[k].clicked == counts.positions[k].end) positions.push_back(k + 1);
  }
  return positions;
}

FittedModel count(const Sample& sample, const FitOptions& options) {
  FittedModel fitted =
      fit_attraction(sample, options.prior, [](const ItemCounts& counts) { return counts.prefix; });
  QueryCounts all;
  for (std::size_t q = 0; q < sample.queries.size(); ++q) {
    const QueryCounts& counts = sample.queries[q].counts;
    all.merge(counts);
    if (options.shared_termination) continue;
    fitted.queries[q].termination = termination(counts, options.prior, counts.positions.size());
    fitted.queries[q].unidentified = unidentified(counts);
  }
  if (options.shared_termination) {
    fitted.termination = termination(all, options.prior, sample.positions);
    fitted.unidentified = unidentified(all);
  }
  return fitted;
}

FittedModel fit_dcm(const Sample& sample, const FitOptions& options) {
  FittedModel fitted = count(sample, options);
  if (options.method == Method::kEm) improve_by_em(sample, options, fitted);
  return fitted;
}

}  // namespace

const ClickModel kDcmModel{"dcm",
                           "dependent click model: attraction per item, termination per position",
                           full,
                           conditional,
                           fit_dcm,
                           [](const FitOptions& options) {
                             Needs needs;
                             needs.tails = options.method == Method::kEm;
                             return needs;
                           }};

}  // namespace dcmrank
