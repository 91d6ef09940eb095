// A. Chuklin, I. Markov, M. de Rijke: Click Models for Web Search. 2015, Sec. 3.2.2.
#include <algorithm>

#include "dcmrank/click_model/click_model.h"

namespace dcmrank {
namespace {

// Click-through rate of the item, whatever the position and the other clicks.
void full(const PageParameters& page, std::span<double> p) {
  std::copy_n(page.attraction.begin(), p.size(), p.begin());
}

void conditional(const PageParameters& page, Clicks /*clicks*/, std::span<double> p) {
  full(page, p);
}

FittedModel fit_dctr(const Sample& sample, const FitOptions& options) {
  return fit_attraction(sample, options.prior, [](const ItemCounts& counts) {
    return Counts{counts.impressions, counts.prefix.attracted};
  });
}

}  // namespace

const ClickModel kDctrModel{"dctr",   "click-through rate of each item, wherever it is shown",
                            full,     conditional,
                            fit_dctr, [](const FitOptions&) { return Needs{}; }};

}  // namespace dcmrank
