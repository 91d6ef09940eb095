#include "dcmrank/model/likelihood.h"

#include "dcmrank/model/stop_probability.h"

namespace dcmrank {
namespace {

// prod (1 - w) over the positions [from, to).
double none_attracts(const Dcm& dcm, std::span<const Item> list, std::size_t from, std::size_t to) {
  double none = 1;
  for (std::size_t k = from; k < to; ++k) none *= 1 - dcm.attraction[list[k]];
  return none;
}

}  // namespace

double page_likelihood(const Dcm& dcm, std::span<const Item> list, Clicks clicks) {
  const std::size_t last = last_click(clicks);
  if (last == 0) return none_attracts(dcm, list, 0, clicks.size());
  double probability = 1;
  for (std::size_t k = 0; k + 1 < last; ++k) {
    const double w = dcm.attraction[list[k]];
    probability *= clicks[k] != 0 ? w * (1 - dcm.termination[k]) : 1 - w;
  }
  return probability * dcm.attraction[list[last - 1]] *
         last_click_probability(dcm.termination[last - 1],
                                none_attracts(dcm, list, last, clicks.size()));
}

double prefix_estimate_limit(const Dcm& dcm, std::span<const Item> list, std::size_t k) {
  double reached = 1;
  for (std::size_t j = 0; j < k; ++j) reached *= 1 - dcm.termination[j] * dcm.attraction[list[j]];
  const double w = dcm.attraction[list[k]];
  const double clicked = reached * w;
  // A skip counts when a click follows it, or when there is no click at all.
  const double click_below = 1 - none_attracts(dcm, list, k + 1, list.size());
  const double skipped = reached * (1 - w) * click_below + none_attracts(dcm, list, 0, list.size());
  return clicked / (clicked + skipped);
}

}  // namespace dcmrank
