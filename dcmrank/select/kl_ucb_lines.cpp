#include "dcmrank/select/kl_ucb_lines.h"

#include "dcmrank/index/kl_ucb.h"
#include "dcmrank/numeric/elementary.h"

namespace dcmrank {

void KlUcbLines::keep(Entry e, std::size_t i, double clock) {
  const double by_observed = 1 / batch_.observed[i];
  const double mean = batch_.attracted[i] * by_observed;
  const double failed = (batch_.observed[i] - batch_.attracted[i]) * by_observed;
  const double less = mean > 0 ? mean * (batch_.log_mean[i] - batch_.log_q[i]) : 0;
  keep(e, i, clock, less + failed * (batch_.log_failed[i] - batch_.log_rest[i]));
}

void KlUcbLines::keep(Entry e, std::size_t i, double clock, double divergence) {
  const double by_observed = 1 / batch_.observed[i];
  const double mean = batch_.attracted[i] * by_observed;
  const double failed = (batch_.observed[i] - batch_.attracted[i]) * by_observed;
  const double q = batch_.q[i];
  const double rest = 1 - q;
  const double x = q - mean;
  const double by_q = 1 / q;
  const double by_rest = 1 / rest;
  const double width = q * rest / x;  // 1 / F_q
  KlUcbPlane& plane = planes_[e];
  Line& line = lines_[e];
  plane.by_budget = width;
  plane.q = q;
  plane.mean = mean;
  plane.bend = (mean * by_q * by_q + failed * by_rest * by_rest) * width;
  plane.reach = std::min(x, rest) / 32;
  line.bend = plane.bend;
  line.reach = plane.reach;
  line.log_q = batch_.log_q[i];
  line.log_rest = batch_.log_rest[i];
  if (mean > 0) {
    plane.by_mean = width * ((batch_.log_q[i] - batch_.log_mean[i]) +
                             (batch_.log_failed[i] - batch_.log_rest[i]));
    plane.sway = x * (rest * by_q / mean + q * by_rest / failed);
    plane.mean_reach = std::min(mean, rest) / 64;
  } else {
    // The slope is infinite: any other mean is above any plane.
    plane.by_mean = 1e300;
    plane.sway = 0;
    plane.mean_reach = 0;
  }
  plane.base = q - plane.by_mean * mean - width * divergence + kMargin;
  put(e, mean, by_observed, batch_.budget[i] - clock);
}

void KlUcbLines::keep_index(Entry e, std::size_t i, double clock) {
  const double observed = batch_.observed[i];
  const double attracted = batch_.attracted[i];
  bury(e, kUnknown);
  if (observed <= 0 || attracted >= observed) {  // 1 whatever the budget
    planes_[e].mean = 1;
    planes_[e].mean_reach = 0;
    planes_[e].reach = 1;
    lines_[e].reach = 1;
    return;
  }
  const double index = kl_ucb({observed, attracted}, batch_.budget[i]);
  const double distance = observed * index - attracted;
  if (batch_.budget[i] <= 0 || !(index > 0 && distance > 0 && index < 1)) return;
  batch_.q[i] = index;
  batch_.log_q[i] = same_log(index);
  batch_.log_rest[i] = same_log(1 - index);
  batch_.log_mean[i] = attracted > 0 ? same_log(attracted / observed) : 0;
  batch_.log_failed[i] = same_log((observed - attracted) / observed);
  keep(e, i, clock, batch_.budget[i] / observed);
}

}  // namespace dcmrank
