// N. Craswell, O. Zoeter, M. Taylor, B. Ramsey: An experimental comparison of click position-bias
// models. WSDM 2008.
#include "dcmrank/click_model/click_model.h"

namespace dcmrank {
namespace {

// A user leaves at the first click: the DCM with termination 1.
void full(const PageParameters& page, std::span<double> p) {
  full_walk(page.attraction, std::vector<double>(p.size(), 1.0), p);
}

void conditional(const PageParameters& page, Clicks clicks, std::span<double> p) {
  conditional_walk(page.attraction, std::vector<double>(p.size(), 1.0), clicks, p);
}

// Only what stands at or above the first click is counted.
FittedModel fit_cascade(const Sample& sample, const FitOptions& options) {
  return fit_attraction(sample, options.prior,
                        [](const ItemCounts& counts) { return counts.first; });
}

}  // namespace

const ClickModel kCascadeModel{"cascade",   "cascade model: users leave at their first click",
                               full,        conditional,
                               fit_cascade, [](const FitOptions&) { return Needs{}; }};

}  // namespace dcmrank
