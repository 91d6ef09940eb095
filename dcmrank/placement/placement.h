#pragma once

#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include "dcmrank/model/interaction.h"
#include "dcmrank/select/scored.h"

namespace dcmrank {

/// The order of the positions from the most to the least terminating, counted from 0:
/// order[n] is the position that receives the n-th best item.
using PositionOrder = std::vector<std::size_t>;

inline PositionOrder top_down(std::size_t positions) {
  PositionOrder order(positions);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

/// The n-th of `ranked` goes to the n-th most terminating position.
inline void place_ranked(std::span<const Scored> ranked, const PositionOrder& order,
                         std::vector<Item>& list) {
  list.resize(order.size());
  for (std::size_t n = 0; n < order.size(); ++n) list[order[n]] = ranked[n].item;
}

/// The same for items.
inline void place_best(std::span<const Item> best, const PositionOrder& order,
                       std::vector<Item>& list) {
  if (list.size() != best.size()) list.resize(best.size());
  for (std::size_t n = 0; n < best.size(); ++n) list[order[n]] = best[n];
}

/// argmax over lists of f(A, scores, v~) (Algorithm 1): the n-th largest score goes to the n-th
/// most terminating position. Reorders `scored`.
inline void place(std::span<Scored> scored, const PositionOrder& order, TieBreak ties,
                  std::vector<Item>& list) {
  select_best(scored, order.size(), Better(ties));
  place_ranked(scored, order, list);
}

}  // namespace dcmrank
