#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dcmrank/select/checked_score.h"
#include "dcmrank/select/selection.h"
#include "dcmrank/select/tie_draws.h"

namespace dcmrank {

/// The plain way, which works for every index and against which all others are tested: computes
/// every index in every round. O(L K). Throws InputError where one is not a number.
class PlainSelection {
 public:
  PlainSelection(std::size_t items, std::size_t /*positions*/) : scores_(items) {}

  template <Index I>
  void select(const I& index, std::uint64_t key, std::span<const Counts> counts,
              std::span<const Item> taken, std::span<Item> best) {
    TieDraws ties(key);
    for (Item e = 0; e < counts.size(); ++e) {
      scores_[e] = checked_score(e, index(e, counts[e]));
    }
    gone_.assign(counts.size(), 0);
    for (const Item e : taken) gone_[e] = 1;
    for (Item& place : best) {
      place = next(ties);
      gone_[place] = 1;
    }
  }

  void changed(std::span<const Item> /*items*/, std::span<const Counts> /*counts*/) {}
  void start_over() {}

 private:
  // One of the items left that have the largest score.
  Item next(TieDraws& ties) {
    tied_.clear();
    for (Item e = 0; e < scores_.size(); ++e) {
      if (gone_[e] != 0) continue;
      if (!tied_.empty() && scores_[e] < scores_[tied_.front()]) continue;
      if (!tied_.empty() && scores_[e] > scores_[tied_.front()]) tied_.clear();
      tied_.push_back(e);
    }
    return tied_[ties.below(tied_.size())];
  }

  std::vector<double> scores_;
  std::vector<std::uint8_t> gone_;
  std::vector<Item> tied_;
};

}  // namespace dcmrank
