#include "dcmrank/placement/positions.h"

#include <algorithm>
#include <functional>

#include "dcmrank/numeric/elementary.h"

namespace dcmrank {
namespace {

constexpr double kLeastTermination = .01;
constexpr double kMostTermination = .99;

// A guess of what comes after `least`, the last of `count` values that begin with `most`: as far
// below it as they lie apart on average (in ratio), but no nearer than .85 of it; half of it where
// there is but one value. Measured: docs/policies.md.
double below(double least, double most, std::size_t count) {
  if (count < 2) return .5 * least;
  return least * std::min(.85, same_exp(same_log(least / most) / static_cast<double>(count - 1)));
}

// Gives the learned values v, one a position but the last, to the positions in the known order.
void sort_into(const PositionOrder& order, std::vector<double>& v) {
  const std::size_t last = v.size() - 1;
  // Selection sort along the order: K is small, and it needs no room.
  for (auto to = order.begin(); to != order.end(); ++to) {
    if (*to == last) continue;
    auto largest = to;
    for (auto at = to + 1; at != order.end(); ++at) {
      if (*at != last && v[*at] > v[*largest]) largest = at;
    }
    std::swap(v[*to], v[*largest]);
  }
}

// The last position's termination, from the others' that are in order.
double last_in_order(const PositionOrder& order, const std::vector<double>& v) {
  const std::size_t last = v.size() - 1;
  const auto rank =
      static_cast<std::size_t>(std::find(order.begin(), order.end(), last) - order.begin());
  if (rank == last) return below(v[order[rank - 1]], v[order[0]], last);
  if (rank == 0) return v[order[1]];
  return (v[order[rank - 1]] + v[order[rank + 1]]) / 2;
}

// By decreasing termination, ties from the top.
void sort_order(const std::vector<double>& v, PositionOrder& order) {
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return v[a] != v[b] ? v[a] > v[b] : a < b; });
}

}  // namespace

void believe(const PositionKnowledge& knowledge, std::span<const TerminationCounts> counts,
             PositionBelief& belief) {
  std::vector<double>& v = belief.terminations;
  const std::size_t last = counts.size() - 1;
  v.resize(counts.size());
  belief.order.resize(counts.size());
  const bool learn = knowledge.terminations.empty();
  for (std::size_t k = 0; k <= last; ++k) {
    const double value = termination_at(knowledge, counts[k], k);
    v[k] = learn ? std::clamp(value, kLeastTermination, kMostTermination) : value;
  }
  if (knowledge.order)
    std::copy(knowledge.order->begin(), knowledge.order->end(), belief.order.begin());
  if (learn && last > 0) {
    if (knowledge.order) sort_into(belief.order, v);
    v[last] = knowledge.order ? last_in_order(belief.order, v)
                              : below(*std::min_element(v.begin(), v.end() - 1),
                                      *std::max_element(v.begin(), v.end() - 1), last);
  }
  if (knowledge.last) v[last] = *knowledge.last;
  if (!knowledge.order) sort_order(v, belief.order);
}

}  // namespace dcmrank
