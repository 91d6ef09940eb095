// A. Chuklin, I. Markov, M. de Rijke: Click Models for Web Search. 2015, Sec. 3.2.2.
#include <algorithm>

#include "dcmrank/click_model/click_model.h"
#include "dcmrank/fit/fit_attraction.h"

namespace dcmrank {
namespace {

// Click-through rate of the item, whatever the position and the other clicks.
void dctr_full(const PageParameters& page, std::span<double> p) {
  std::copy_n(page.attraction.begin(), p.size(), p.begin());
}

void dctr_conditional(const PageParameters& page, Clicks /*clicks*/, std::span<double> p) {
  dctr_full(page, p);
}

FittedModel fit_dctr(const Sample& sample, const FitOptions& options) {
  return fit_attraction(sample, options.prior, [](const ItemCounts& counts) {
    return Counts{counts.impressions, counts.prefix.attracted};
  });
}

}  // namespace

const ClickModel kDctrModel{.name = "dctr",
                            .summary = "click-through rate of each item, wherever it is shown",
                            .full = dctr_full,
                            .conditional = dctr_conditional,
                            .fit = fit_dctr,
                            .best_by_attraction = true,
                            .counts_are_trials = true,
                            .fits_each_query = true};

}  // namespace dcmrank
