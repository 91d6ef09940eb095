#include "dcmrank/index/kl_ucb.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dcmrank {
namespace {

// p log(p / q) with 0 log 0 = 0, written with log1p so that q close to p keeps its digits.
double kl_term(double p, double q) {
  if (p == 0) return 0;
  if (q == 0) return std::numeric_limits<double>::infinity();
  return -p * std::log1p((q - p) / p);
}

// An upper bound of the root in s (see kl_ucb): the least of four bounds of D(m, m + u) from below,
// each tight in another region.
double upper_start(double m, double delta) {
  const double rest = 1 - m;
  const double pinsker = std::sqrt(delta / 2);                     // D >= 2 u^2
  const double rare = delta + std::sqrt(delta * (delta + 2 * m));  // D >= u^2 / (2 (m + u))
  const double frequent = std::sqrt(2 * delta * rest);             // D >= u^2 / (2 (1 - m))
  const double u = std::min({pinsker, rare, frequent});
  const double near_one = (delta - m * std::log(m)) / rest;  // D >= m log m + (1 - m) s
  return u < rest ? std::min(near_one, -std::log1p(-u / rest)) : near_one;
}

}  // namespace

double bernoulli_kl(double p, double q) { return kl_term(p, q) + kl_term(1 - p, 1 - q); }

double paper_budget(std::uint64_t t) {
  const double log_t = std::log(static_cast<double>(t));
  return t <= 1 ? 0 : std::max(0.0, log_t + 3 * std::log(log_t));
}

// With 1 - q = (1 - m) exp(-s), D(m || q) = (1 - m) s - m log1p(u / m), u = q - m: increasing and
// convex in s, nearly linear where q is close to 1 and without cancellation where q is close to m.
// So Newton from the right of the root decreases to it and never crosses it.
double kl_ucb(const Counts& counts, double budget) {
  if (counts.observed <= 0) return 1;
  const double m = std::clamp(counts.attracted / counts.observed, 0.0, 1.0);
  if (budget <= 0 || m >= 1) return m;
  const double delta = budget / counts.observed;
  if (m <= 0) return -std::expm1(-delta);

  const double rest = 1 - m;
  double s = upper_start(m, delta);
  double u = -rest * std::expm1(-s);
  for (int step = 0; step < 64; ++step) {
    const double q = m + u;
    const double excess = rest * s - m * std::log1p(u / m) - delta;
    const double slope = u / q;
    const double next = s - excess / slope;
    if (!(next < s && next > 0)) break;  // at the root, up to rounding
    const double change = s - next;
    s = next;
    u = -rest * std::expm1(-s);
    if ((rest - u) * change < 1e-13) break;
  }
  return std::min(1.0, m + u);
}

}  // namespace dcmrank
