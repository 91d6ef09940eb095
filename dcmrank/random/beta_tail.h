#pragma once

#include "dcmrank/random/beta.h"

namespace dcmrank {

/// The part of Beta(a, b), a >= 1 and b >= 1, above a threshold in (0, 1), drawn from without
/// drawing from the whole. The logarithm of the density f is concave: above the threshold t,
///     f(x) <= g(x) = f(t) exp(-s (x - t)),  s = -(log f)'(t) = (b - 1) / (1 - t) - (a - 1) / t.
/// To draw from Beta(a, b), propose with probability G, the integral of g from t to 1, and keep the
/// proposal if draw() says so: it is the draw if it is kept; otherwise the draw is below t.
class BetaTail {
 public:
  explicit BetaTail(double threshold);

  double threshold() const { return at_; }

  /// G: at least the probability of the tail; infinity where it is far above 1 or not known to be
  /// less, as above a billion observations.
  double bound(double a, double b) const;

  /// The probability of the tail, roughly: within .06 where it is not small.
  double estimate(double a, double b) const;

  /// A draw from g, kept with probability f / g; -1 if it is not kept.
  double draw(double a, double b, CounterRng& rng) const;

 private:
  double slope(double a, double b) const { return (b - 1) / rest_ - (a - 1) / at_; }
  double log_density(double a, double b) const;

  double at_;
  double rest_;  // 1 - at
  double log_at_;
  double log_rest_;
};

}  // namespace dcmrank
