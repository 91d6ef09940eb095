// G. Dupret, B. Piwowarski: A user browsing model to predict search engine click data from past
// observations. SIGIR 2008.
#include "dcmrank/click_model/click_model.h"
#include "dcmrank/em/examination.h"

namespace dcmrank {
namespace {

// Row k (from 0) of the triangle, which is the examination of position k when the last click above
// it is 1, 2, ..., k positions away, and last when there is none.
const double* row(const PageParameters& page, std::size_t k) {
  return page.lists[0].data() + k * (k + 1) / 2;
}

void ubm_full(const PageParameters& page, std::span<double> p) {
  std::vector<double> last(p.size() + 1);  // where the last click was, from 1; 0: none yet
  last[0] = 1;
  for (std::size_t k = 0; k < p.size(); ++k) {
    const double* examined = row(page, k);
    p[k] = 0;
    for (std::size_t at = 0; at <= k; ++at) {
      const double click = page.attraction[k] * examined[k - at];
      p[k] += last[at] * click;
      last[at] *= 1 - click;
    }
    last[k + 1] = p[k];
  }
}

void ubm_conditional(const PageParameters& page, Clicks clicks, std::span<double> p) {
  std::size_t distance = 0;  // to the last click; 0: none yet
  for (std::size_t k = 0; k < p.size(); ++k) {
    p[k] = page.attraction[k] * row(page, k)[distance == 0 ? k : distance - 1];
    distance = clicks[k] != 0 ? 1 : distance + (distance > 0 ? 1 : 0);
  }
}

std::size_t entry_of(const ContextCounts& context) {
  const std::size_t k = context.position;
  return k * (k + 1) / 2 + (context.distance == 0 ? k : context.distance - 1);
}

FittedModel fit_ubm(const Sample& sample, const FitOptions& options) {
  return fit_examination(sample, options, sample.positions * (sample.positions + 1) / 2, entry_of);
}

}  // namespace

const ClickModel kUbmModel{
    .name = "ubm",
    .summary =
        "user browsing model: attraction per item, examination per position and distance "
        "from the last click",
    .lists = {{.name = kExamination,
               .shape = ListShape::kTriangle,
               .unidentified = "unidentified"}},
    .full = ubm_full,
    .conditional = ubm_conditional,
    .methods = {Method::kEm},
    .fit = fit_ubm,
    .needs =
        [](const FitOptions&) {
          Needs needs;
          needs.contexts = true;
          return needs;
        },
};

}  // namespace dcmrank
