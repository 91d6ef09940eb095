#include "dcmrank/browsing/item.h"

namespace dcmrank {
namespace {

constexpr double kPriorLooks = 2;  // at an average item

}  // namespace

double next_attraction(std::span<const SeenCell> row, std::span<const double> examination,
                       double before, double prior) {
  WeightedSums sums{kPriorLooks * prior, kPriorLooks};
  for (const SeenCell& cell : row) {
    const double g = examination[cell.context];
    const double omega = click_weight(before * g);
    sums.clicks += omega * cell.clicked;
    sums.looks += omega * cell.shown * g;
  }
  return std::min(1.0, sums.clicks / sums.looks);
}

double attraction_of(std::span<const SeenCell> row, std::span<const double> examination,
                     double prior) {
  WeightedSums plain{kPriorLooks * prior, kPriorLooks};  // weights of an attraction of 0
  for (const SeenCell& cell : row) {
    plain.clicks += cell.clicked;
    plain.looks += cell.shown * examination[cell.context];
  }
  return next_attraction(row, examination, std::min(1.0, plain.clicks / plain.looks), prior);
}

ItemLooks look_at(std::span<const SeenCell> row, std::span<const double> examination, double w,
                  double most, std::span<WeightedSums> by_position) {
  ItemLooks result;
  WeightedSums weighted;
  double looks = 0;
  double squares = 0;
  std::fill(by_position.begin(), by_position.end(), WeightedSums{});
  for (const SeenCell& cell : row) {
    const double g = examination[cell.context];
    const double omega = click_weight(w * g);
    const double expected = cell.shown * std::min(kMostCertain, w * g);
    const WeightedSums here{omega * (cell.clicked - expected), omega * expected};
    looks += cell.shown * g;
    weighted.looks += omega * cell.shown * g;
    weighted.clicks += omega * cell.clicked;
    squares += omega * cell.shown * g * g;
    result.all.merge(here);
    if (g < most) by_position[cell.position].merge(here);
  }
  if (!(weighted.looks > 0)) return result;
  const double average = squares / weighted.looks;
  const double observed =
      std::min(looks, weighted.looks * (1 - std::min(kMostCertain, average * w)));
  result.known = {observed, std::min(1.0, weighted.clicks / weighted.looks) * observed, average};
  return result;
}

}  // namespace dcmrank
