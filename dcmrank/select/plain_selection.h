// The plain way to the lists of the KL-UCB family, as the tests' oracle: every index, every round.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "dcmrank/index/index.h"
#include "dcmrank/select/tie_draws.h"

namespace dcmrank {

/// The items of the `count` largest indices that are not taken, ties by `ties`.
template <Index I>
std::vector<Item> plain_selection(const I& index, std::span<const Counts> counts,
                                  std::span<const Item> taken, TieDraws ties, std::size_t count) {
  std::vector<double> scores;
  for (Item e = 0; e < counts.size(); ++e) scores.push_back(index(e, counts[e]));
  for (const Item e : taken) scores[e] = -1;
  std::vector<Item> best;
  while (best.size() < count) {
    const double most = *std::max_element(scores.begin(), scores.end());
    std::vector<Item> tied;
    for (Item e = 0; e < scores.size(); ++e) {
      if (scores[e] == most) tied.push_back(e);
    }
    best.push_back(tied[ties.below(tied.size())]);
    scores[best.back()] = -1;
  }
  return best;
}

}  // namespace dcmrank
