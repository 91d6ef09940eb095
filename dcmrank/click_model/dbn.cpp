// O. Chapelle, Y. Zhang: A dynamic Bayesian network click model for web search ranking. WWW 2009.
#include "dcmrank/click_model/click_model.h"
#include "dcmrank/click_model/dbn_em.h"
#include "dcmrank/em/chain.h"

namespace dcmrank {
namespace {

constexpr const char* kContinuation = "continuation";

void dbn_full(const PageParameters& page, std::span<double> p) {
  const double continues = page.lists[0][0];
  double examined = 1;
  for (std::size_t k = 0; k < p.size(); ++k) {
    p[k] = page.attraction[k] * examined;
    examined *= continues * (1 - page.attraction[k] * page.items[0][k]);
  }
}

void dbn_conditional(const PageParameters& page, Clicks clicks, std::span<double> p) {
  const double continues = page.lists[0][0];
  double examined = 1;
  for (std::size_t k = 0; k < p.size(); ++k) {
    const double w = page.attraction[k];
    p[k] = w * examined;
    if (clicks[k] != 0) {
      examined = continues * (1 - page.items[0][k]);
    } else {
      examined = p[k] < 1 ? continues * examined * (1 - w) / (1 - p[k]) : 0;
    }
  }
}

// A click satisfies by the item, and who is satisfied leaves.
double dbn_satisfaction(const PageParameters& page) {
  const double continues = page.lists[0][0];
  double examined = 1;
  double satisfied = 0;
  for (std::size_t k = 0; k < page.attraction.size(); ++k) {
    const double leaves = page.attraction[k] * page.items[0][k];
    satisfied += examined * leaves;
    examined *= continues * (1 - leaves);
  }
  return satisfied;
}

FittedModel fit_dbn(const Sample& sample, const FitOptions& options) {
  return fit_dbn_by_em(sample, options, kContinuation);
}

}  // namespace

const ClickModel kDbnModel{
    .name = "dbn",
    .summary =
        "dynamic Bayesian network: attraction and satisfaction per item, one chance of continuing",
    .items = {"satisfaction"},
    .lists = {{.name = kContinuation,
               .shape = ListShape::kNumbers,
               .numbers = 1,
               .unidentified = "unidentified"}},
    .full = dbn_full,
    .conditional = dbn_conditional,
    .methods = {Method::kEm},
    .fit = fit_dbn,
    .needs = needs_chains,
    .satisfaction = dbn_satisfaction,
};

}  // namespace dcmrank
