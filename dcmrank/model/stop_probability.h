#pragma once

namespace dcmrank {

/// What follows a last click with something below it on the screen: either the user stopped there,
/// or went on and found nothing. v is the termination at the click, pi the probability that nothing
/// below attracts. The E-step of the exact likelihood (likelihood.h), and the only place that says
/// so.

/// v + (1 - v) pi: the probability of no further click.
inline double last_click_probability(double termination, double none_below) {
  return termination + (1 - termination) * none_below;
}

/// q = v / (v + (1 - v) pi): the probability that the user stopped, given that no click followed; 0
/// where that is impossible.
inline double stop_probability(double termination, double none_below) {
  const double stopped_or_not = last_click_probability(termination, none_below);
  return stopped_or_not > 0 ? termination / stopped_or_not : 0;
}

}  // namespace dcmrank
