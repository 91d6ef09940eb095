#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dcmrank/policy/placement.h"

namespace dcmrank {

/// place() where scores are dear: the same list, from upper bounds of all scores and the exact
/// scores of the few items that can win. An item is asked for its score at most once a call.
/// The scratch is kept between calls; one thread at a time.
class LazyPlacement {
 public:
  explicit LazyPlacement(std::size_t items) : candidates_(items) {}

  /// `bound(e)` is at least the score of item e, and at least kNoBound where nothing is known;
  /// `score(e)` is its score.
  template <class Bound, class Score>
  void place(Bound bound, Score score, const PositionOrder& order, TieBreak ties,
             std::vector<Item>& list) {
    for (Item e = 0; e < candidates_.size(); ++e) {
      const double at_most = bound(e);
      const bool known = at_most < kNoBound;
      candidates_[e] = {known ? at_most : score(e), e, !known};
    }
    // A few rounds settle the order unless many items tie: then ever more are settled at a time.
    std::size_t batch = order.size();
    for (int round = 0; settle(select(batch, ties), score); ++round) {
      if (round >= 3) batch = std::min(2 * batch, candidates_.size());
    }
    const auto best = select(order.size(), ties);
    std::sort(best.begin(), best.end(), Before{ties});
    list.resize(order.size());
    for (std::size_t n = 0; n < order.size(); ++n) list[order[n]] = best[n].item;
  }

  static constexpr double kNoBound = 1.5;  // scores are at most 1

 private:
  struct Candidate {
    double score;  // exact, or a bound
    Item item;
    bool exact;
  };

  // By score; a bound goes before an equal score, since the item may win the tie; then as Better.
  struct Before {
    TieBreak ties;
    bool operator()(const Candidate& a, const Candidate& b) const {
      if (a.score != b.score) return a.score > b.score;
      if (a.exact != b.exact) return b.exact;
      return ties(a.item) > ties(b.item);
    }
  };

  // The n best candidates, in any order.
  std::span<Candidate> select(std::size_t n, TieBreak ties) {
    if (n < candidates_.size()) {
      std::nth_element(candidates_.begin(), candidates_.begin() + static_cast<std::ptrdiff_t>(n),
                       candidates_.end(), Before{ties});
    }
    return std::span(candidates_).first(n);
  }

  // Replaces the bounds among `best` by scores; whether there were any.
  template <class Score>
  static bool settle(std::span<Candidate> best, Score score) {
    bool any = false;
    for (Candidate& candidate : best) {
      if (candidate.exact) continue;
      candidate = {score(candidate.item), candidate.item, true};
      any = true;
    }
    return any;
  }

  std::vector<Candidate> candidates_;
};

}  // namespace dcmrank
