#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "dcmrank/model/interaction.h"

namespace dcmrank {

/// Exchanges two items of `order`, one of them among the first `positions`, which are the list, for
/// as long as reward(list) grows; returns the reward at last. Only items of which may_exchange(a,
/// b) says so. A local optimum, but where lists are so long that finding one would take minutes.
template <class Reward, class MayExchange>
double improve_by_exchanges(std::span<Item> order, std::size_t positions, Reward reward,
                            MayExchange may_exchange) {
  constexpr double kRounding = 1e-12;
  constexpr std::size_t kMostLooks = 500'000'000;  // at positions
  const std::span<const Item> list = order.first(positions);
  double best = reward(list);
  std::size_t left = kMostLooks / std::max<std::size_t>(positions, 1);
  for (bool more = true; more;) {
    more = false;
    for (std::size_t a = 0; a < positions; ++a) {
      for (std::size_t b = a + 1; b < order.size(); ++b) {
        if (!may_exchange(order[a], order[b])) continue;
        if (left-- == 0) return best;
        std::swap(order[a], order[b]);
        const double now = reward(list);
        if (now > best + kRounding) {
          best = now;
          more = true;
        } else {
          std::swap(order[a], order[b]);
        }
      }
    }
  }
  return best;
}

/// Any two.
template <class Reward>
double improve_by_exchanges(std::span<Item> order, std::size_t positions, Reward reward) {
  return improve_by_exchanges(order, positions, reward, [](Item, Item) { return true; });
}

}  // namespace dcmrank
