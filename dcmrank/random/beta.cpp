#include "dcmrank/random/beta.h"

#include <algorithm>
#include <cmath>

namespace dcmrank {
namespace {

// Algorithm BB of Cheng, "Generating beta variates with nonintegral shape parameters", CACM 21(4),
// 1978: rejection from a distribution of the odds with a closed form. Needs 1 < least <= most;
// returns w of the variate w / (most + w). One logarithm and one exponential in most draws.
double cheng_bb(double least, double most, CounterRng& rng) {
  const double sum = least + most;
  const double beta = std::sqrt((sum - 2) / (2 * least * most - sum));
  const double gamma = least + 1 / beta;
  constexpr double kLog4 = 1.3862943611198906;
  constexpr double kLog5Plus1 = 2.6094379124341003;
  for (;;) {
    const double u1 = rng.inside();
    const double u2 = rng.inside();
    const double v = beta * std::log(u1 / (1 - u1));
    const double w = least * std::exp(v);
    const double z = u1 * u1 * u2;
    const double r = gamma * v - kLog4;
    const double s = least + r - w;
    if (s + kLog5Plus1 >= 5 * z) return w;  // the cheap test that accepts nearly always
    const double t = std::log(z);
    if (s >= t || r + sum * std::log(sum / (most + w)) >= t) return w;
  }
}

}  // namespace

double sample_beta(double a, double b, CounterRng& rng) {
  // With a parameter of 1 the distribution function has an inverse. Nearer to 1 than this, what
  // Cheng divides by loses its digits.
  constexpr double kOne = 1 + 1e-9;
  if (a <= kOne) return -std::expm1(std::log(rng.inside()) / b);
  if (b <= kOne) return std::exp(std::log(rng.inside()) / a);
  const double least = std::min(a, b);
  const double most = std::max(a, b);
  const double w = cheng_bb(least, most, rng);
  return a <= b ? w / (most + w) : most / (most + w);
}

}  // namespace dcmrank
