// N. Craswell, O. Zoeter, M. Taylor, B. Ramsey: An experimental comparison of click position-bias
// models. WSDM 2008.
#include "dcmrank/click_model/click_model.h"
#include "dcmrank/click_model/walk.h"
#include "dcmrank/fit/fit_attraction.h"

namespace dcmrank {
namespace {

// A user leaves at the first click: the DCM with termination 1.
void cascade_full(const PageParameters& page, std::span<double> p) {
  full_walk(page.attraction, std::vector<double>(p.size(), 1.0), p);
}

void cascade_conditional(const PageParameters& page, Clicks clicks, std::span<double> p) {
  conditional_walk(page.attraction, std::vector<double>(p.size(), 1.0), clicks, p);
}

double cascade_satisfaction(const PageParameters& page) {
  return leaves_at_a_click(page.attraction, std::vector<double>(page.attraction.size(), 1.0));
}

// Only what stands at or above the first click is counted.
FittedModel fit_cascade(const Sample& sample, const FitOptions& options) {
  return fit_attraction(sample, options.prior,
                        [](const ItemCounts& counts) { return counts.first; });
}

}  // namespace

const ClickModel kCascadeModel{.name = "cascade",
                               .summary = "cascade model: users leave at their first click",
                               .full = cascade_full,
                               .conditional = cascade_conditional,
                               .fit = fit_cascade,
                               .satisfaction = cascade_satisfaction,
                               .rewards_clicks = true,
                               .best_by_attraction = true,
                               .counts_are_trials = true,
                               .fits_each_query = true};

}  // namespace dcmrank
