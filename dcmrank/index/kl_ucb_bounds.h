#pragma once

#include <cstddef>
#include <vector>

#include "dcmrank/model/counts.h"
#include "dcmrank/model/interaction.h"

namespace dcmrank {

/// Upper bounds of the KL-UCB indices of all items, which cost one multiplication instead of the
/// solution of an equation. The index is a concave, increasing function of the budget (its inverse,
/// T * D_KL(w || .), is convex): so its tangent at one budget bounds it at all others. A bound
/// holds until the item's counts change; then it must be forgotten, and is 1 or more.
class KlUcbBounds {
 public:
  explicit KlUcbBounds(std::size_t items) : tangents_(items) {}

  /// At least the index of item e at this budget.
  double operator()(Item e, double budget) const {
    return tangents_[e].intercept + tangents_[e].slope * budget;
  }

  /// `index` is kl_ucb(counts, budget) of item e.
  void keep(Item e, const Counts& counts, double index, double budget) {
    const double mean = counts.attracted / counts.observed;
    if (!(index > mean) || index >= 1) return forget(e);
    const double slope = index * (1 - index) / (counts.observed * (index - mean));
    tangents_[e] = {index - slope * budget + kRounding, slope};
  }

  void forget(Item e) { tangents_[e] = {}; }
  void forget_all() { tangents_.assign(tangents_.size(), {}); }

 private:
  // Far above what rounding and Newton's method leave, far below what matters for speed.
  static constexpr double kRounding = 1e-11;

  struct Tangent {
    double intercept = 2;
    double slope = 0;
  };
  std::vector<Tangent> tangents_;
};

}  // namespace dcmrank
