#include "dcmrank/numeric/log_beta.h"

#include <algorithm>

#include "dcmrank/numeric/elementary.h"

namespace dcmrank {
namespace {

// log Gamma(x) - ((x - 1/2) log x - x + log(2 pi) / 2) by Stirling's series; below 1e-15 off where
// x >= 9.
double stirling_rest(double x) {
  const double r = 1 / x;
  const double s = r * r;
  const double far = 1. / 1680 - s * (1. / 1188 - s * (691. / 360360));
  return r * (1. / 12 - s * (1. / 360 - s * (1. / 1260 - s * far)));
}

}  // namespace

// Small arguments are raised by B(a, b) = B(a + 1, b) (a + b) / a, and likewise for b.
double log_beta(double a, double b) {
  double above = 1;
  double below = 1;
  for (; a < 9; a += 1) {
    above *= a + b;
    below *= a;
  }
  for (; b < 9; b += 1) {
    above *= a + b;
    below *= b;
  }
  const double sum = a + b;
  const double least = std::min(a, b);
  const double most = std::max(a, b);
  constexpr double kHalfLogTwoPi = 0.91893853320467274178;
  return kHalfLogTwoPi + same_log(above / below) - 0.5 * same_log(most) -
         (least - 0.5) * same_log1p(most / least) - most * same_log1p(least / most) +
         (stirling_rest(a) + stirling_rest(b) - stirling_rest(sum));
}

}  // namespace dcmrank
