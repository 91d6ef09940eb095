#include "dcmrank/click_model/walk.h"

namespace dcmrank {

void full_walk(std::span<const double> attraction, std::span<const double> leaves,
               std::span<double> p) {
  double examined = 1;
  for (std::size_t k = 0; k < p.size(); ++k) {
    const double w = attraction[k];
    p[k] = w * examined;
    examined *= w * (1 - leaves[k]) + (1 - w);
  }
}

void conditional_walk(std::span<const double> attraction, std::span<const double> leaves,
                      Clicks clicks, std::span<double> p) {
  double examined = 1;
  for (std::size_t k = 0; k < p.size(); ++k) {
    const double w = attraction[k];
    p[k] = w * examined;
    if (clicks[k] != 0) {
      examined = 1 - leaves[k];
    } else {
      // Bayes: examined and skipped, of all ways to skip. A certain click that did not come has
      // no posterior: then nothing below was examined.
      examined = p[k] < 1 ? examined * (1 - w) / (1 - p[k]) : 0;
    }
  }
}

double leaves_at_a_click(std::span<const double> attraction, std::span<const double> leaves) {
  double goes_on = 1;
  for (std::size_t k = 0; k < attraction.size(); ++k) goes_on *= 1 - leaves[k] * attraction[k];
  return 1 - goes_on;
}

}  // namespace dcmrank
