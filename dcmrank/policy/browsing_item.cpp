#include "dcmrank/policy/browsing_item.h"

namespace dcmrank {

double next_attraction(std::span<const BrowsingCell> row, std::span<const double> examination,
                       double before, double prior) {
  constexpr double kPriorLooks = 2;
  WeightedSums sums{kPriorLooks * prior, kPriorLooks};
  for (std::size_t b = 0; b < row.size(); ++b) {
    if (row[b].shown == 0) continue;
    const double omega = click_weight(before * examination[b]);
    sums.clicks += omega * row[b].clicked;
    sums.looks += omega * row[b].shown * examination[b];
  }
  return std::min(1.0, sums.clicks / sums.looks);
}

double attraction_of(std::span<const BrowsingCell> row, std::span<const double> examination,
                     double prior) {
  const double plain = next_attraction(row, examination, 0, prior);
  return next_attraction(row, examination, plain, prior);
}

KnownItem known_of(std::span<const BrowsingCell> row, std::span<const double> examination,
                   double w) {
  double looks = 0;
  WeightedSums weighted;
  double squares = 0;
  for (std::size_t b = 0; b < row.size(); ++b) {
    if (row[b].shown == 0) continue;
    const double g = examination[b];
    const double omega = click_weight(w * g);
    looks += row[b].shown * g;
    weighted.looks += omega * row[b].shown * g;
    weighted.clicks += omega * row[b].clicked;
    squares += omega * row[b].shown * g * g;
  }
  if (!(weighted.looks > 0)) return {};
  const double average = squares / weighted.looks;
  const double observed =
      std::min(looks, weighted.looks * (1 - std::min(kMostCertain, average * w)));
  return {observed, std::min(1.0, weighted.clicks / weighted.looks) * observed, average};
}

WeightedSums look_at(std::span<const BrowsingCell> row, std::span<const double> examination,
                     double w, double most, std::span<WeightedSums> by_position) {
  WeightedSums all;
  for (std::size_t k = 0; k < by_position.size(); ++k) {
    by_position[k] = {};
    for (std::size_t b = contexts_above(k); b < contexts_above(k + 1); ++b) {
      if (row[b].shown == 0) continue;
      const double q = std::min(kMostCertain, w * examination[b]);
      const double expected = row[b].shown * q;
      const double information = expected / (1 - q);
      const double slope = (row[b].clicked - expected) / (1 - q);
      all.looks += information;
      all.clicks += slope;
      if (examination[b] >= most) continue;
      by_position[k].looks += information;
      by_position[k].clicks += slope;
    }
  }
  return all;
}

}  // namespace dcmrank
