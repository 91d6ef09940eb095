// M. Richardson, E. Dominowska, R. Ragno: Predicting clicks: estimating the click-through rate for
// new ads. WWW 2007; as EM in A. Chuklin, I. Markov, M. de Rijke: Click Models for Web Search.
// 2015.
#include "dcmrank/click_model/click_model.h"
#include "dcmrank/em/examination.h"

namespace dcmrank {
namespace {

// Attracted and examined, independently.
void pbm_full(const PageParameters& page, std::span<double> p) {
  for (std::size_t k = 0; k < p.size(); ++k) p[k] = page.attraction[k] * page.lists[0][k];
}

void pbm_conditional(const PageParameters& page, Clicks /*clicks*/, std::span<double> p) {
  pbm_full(page, p);
}

FittedModel fit_pbm(const Sample& sample, const FitOptions& options) {
  return fit_examination(sample, options, sample.positions, [](const ContextCounts& context) {
    return std::size_t{context.position};
  });
}

}  // namespace

const ClickModel kPbmModel{
    .name = "pbm",
    .summary = "position-based model: attraction per item, examination per position",
    .lists = {{.name = kExamination, .unidentified = "unidentified", .ranks_positions = true}},
    .full = pbm_full,
    .conditional = pbm_conditional,
    .methods = {Method::kEm},
    .fit = fit_pbm,
    .needs =
        [](const FitOptions&) {
          Needs needs;
          needs.positions = true;
          return needs;
        },
    .best_by_attraction = true,
};

}  // namespace dcmrank
