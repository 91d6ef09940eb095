#include "dcmrank/random/beta_tail.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dcmrank/numeric/elementary.h"
#include "dcmrank/numeric/log_beta.h"

namespace dcmrank {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMostObservations = 1e9;  // above, rounding would be felt in the density

constexpr double kSteepest = 30;

// exp(-x) - 1, x >= -kSteepest; -1 where a double knows no difference.
double falls_by(double x) { return x > 40 ? -1 : same_expm1(-x); }

// The integral of exp(-slope x) from 0 to `width`; slope * width >= -kSteepest.
double integral(double slope, double width) {
  return slope == 0 ? width : -falls_by(slope * width) / slope;
}

// Sampford's bound of Mills' ratio, for a density of this slope and curvature of its logarithm.
double mills(double slope, double curvature) {
  return 4 / (3 * slope + std::sqrt(slope * slope + 8 * curvature));
}

}  // namespace

BetaTail::BetaTail(double threshold)
    : at_(threshold),
      rest_(1 - threshold),
      log_at_(same_log(threshold)),
      log_rest_(same_log1p(-threshold)) {}

double BetaTail::log_density(double a, double b) const {
  return (a - 1) * log_at_ + (b - 1) * log_rest_ - log_beta(a, b);
}

double BetaTail::bound(double a, double b) const {
  if (!(a + b < kMostObservations)) return kInfinity;
  const double s = slope(a, b);
  if (s * rest_ < -kSteepest) return kInfinity;  // the mode is far above
  return same_exp(std::min(log_density(a, b), 600.0)) * integral(s, rest_);
}

double BetaTail::estimate(double a, double b) const {
  const double s = slope(a, b);
  if (!(a + b < kMostObservations)) return s < 0 ? 1 : 0;
  const double curvature = (a - 1) / (at_ * at_) + (b - 1) / (rest_ * rest_);
  if (curvature == 0) return rest_;  // the uniform distribution
  const double side = same_exp(std::min(log_density(a, b), 600.0)) * mills(std::abs(s), curvature);
  return std::clamp(s < 0 ? 1 - side : side, 0.0, 1.0);
}

// With r = (x - t) / t and q = (x - t) / (1 - t), log(f / g) is
//     (a - 1) (log(1 + r) - r) + (b - 1) (log(1 - q) + q),
// at least -((a - 1) r^2 + (b - 1) q^2 / (1 - q)) / 2, which mostly decides without a logarithm.
double BetaTail::draw(double a, double b, CounterRng& rng) const {
  const double s = slope(a, b);
  const double u = rng.inside();
  const double chance = rng.inside();
  const double width = s == 0 ? u * rest_ : -same_log1p(u * falls_by(s * rest_)) / s;
  const double r = width / at_;
  const double q = std::min(width / rest_, 1 - 0x1p-52);
  const double most = ((a - 1) * r * r + (b - 1) * q * q / (1 - q)) / 2;
  const double x = std::min(at_ + width, 1.0);
  if (chance <= 1 - most) return x;
  const double exponent = (a - 1) * (same_log1p(r) - r) + (b - 1) * (same_log1p(-q) + q);
  return same_log(chance) <= exponent ? x : -1;
}

}  // namespace dcmrank
