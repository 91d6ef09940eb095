// F. Guo, C. Liu, A. Kannan, T. Minka, M. Taylor, Y. M. Wang, C. Faloutsos: Click chain model in
// web search. WWW 2009.
#include "dcmrank/click_model/click_model.h"

namespace dcmrank {
namespace {

constexpr const char* kAlpha = "alpha";

// Chances of going on: alpha_1 after a skip; after a click alpha_3 of who is satisfied, which the
// item's attraction is the chance of, and alpha_2 of who is not.
double after_click(const std::vector<double>& alpha, double w) {
  return alpha[1] * (1 - w) + alpha[2] * w;
}

void ccm_full(const PageParameters& page, std::span<double> p) {
  const auto& alpha = page.lists[0];
  double examined = 1;
  for (std::size_t k = 0; k < p.size(); ++k) {
    const double w = page.attraction[k];
    p[k] = w * examined;
    examined *= (1 - w) * alpha[0] + w * after_click(alpha, w);
  }
}

void ccm_conditional(const PageParameters& page, Clicks clicks, std::span<double> p) {
  const auto& alpha = page.lists[0];
  double examined = 1;
  for (std::size_t k = 0; k < p.size(); ++k) {
    const double w = page.attraction[k];
    p[k] = w * examined;
    if (clicks[k] != 0) {
      examined = after_click(alpha, w);
    } else {
      examined = p[k] < 1 ? alpha[0] * examined * (1 - w) / (1 - p[k]) : 0;
    }
  }
}

// Who clicks is satisfied with the item's attraction as the chance, at any of the clicks.
double ccm_satisfaction(const PageParameters& page) {
  const auto& alpha = page.lists[0];
  double examined = 1;  // and not satisfied yet
  double satisfied = 0;
  for (const double w : page.attraction) {
    satisfied += examined * w * w;
    examined *= (1 - w) * alpha[0] + w * (1 - w) * alpha[1];
  }
  return satisfied;
}

}  // namespace

const ClickModel kCcmModel{
    .name = "ccm",
    .summary = "click chain model: attraction per item, three chances of going on",
    .lists = {{.name = kAlpha, .shape = ListShape::kNumbers, .numbers = 3}},
    .full = ccm_full,
    .conditional = ccm_conditional,
    .methods = {},
    .satisfaction = ccm_satisfaction,
    .rewards_clicks = true,
};

}  // namespace dcmrank
