#include "dcmrank/index/kl_ucb_lines.h"

#include "dcmrank/index/kl_ucb.h"
#include "dcmrank/numeric/elementary.h"

namespace dcmrank {

void KlUcbLines::keep_index(Line& line, std::size_t i, double clock) const {
  const Counts counts{batch_.observed[i], batch_.attracted[i]};
  keep_index(line, i, clock, kl_ucb(counts, batch_.budget[i]));
}

void KlUcbLines::keep_index(Line& line, std::size_t i, double clock, double index) const {
  const double observed = batch_.observed[i];
  const double attracted = batch_.attracted[i];
  line = {};
  if (observed <= 0 || attracted >= observed) {  // 1 whatever the budget
    line.curvature = 0;
    return;
  }
  const double distance = observed * index - attracted;
  if (batch_.budget[i] <= 0 || !(index > 0 && distance > 0 && index < 1)) return;
  const double rest = 1 - index;
  const double slope = index * rest / distance;
  const double second = attracted / (index * index) + (observed - attracted) / (rest * rest);
  line = {index - clock * slope + kMargin,     slope,           index,
          std::max(second * slope, 1 / index), same_log(index), same_log(rest)};
}

}  // namespace dcmrank
