#pragma once

#include <span>
#include <type_traits>
#include <vector>

#include "dcmrank/index/index.h"
#include "dcmrank/random/beta.h"
#include "dcmrank/select/scored.h"

namespace dcmrank {

/// The scores of all items in one round, many at a time if the index can. Keeps its memory, so that
/// rounds allocate nothing.
template <Index I>
class AllScores {
 public:
  /// In the order of the items; valid until the next call. The caller may reorder and change them.
  std::span<Scored> operator()(const I& index, std::span<const Counts> counts) {
    scored_.resize(counts.size());
    const auto keep = [&](Item e, double score) { scored_[e] = {score, e}; };
    if constexpr (kInBatches) {
      index.for_all(counts, batch_, keep);
    } else {
      for (Item e = 0; e < counts.size(); ++e) keep(e, index(e, counts[e]));
    }
    return scored_;
  }

 private:
  struct Nothing {};
  static constexpr bool kInBatches =
      requires(const I& index, std::span<const Counts> counts, BetaBatch& batch) {
    index.for_all(counts, batch, [](Item, double) {});
  };

  std::vector<Scored> scored_;
  std::conditional_t<kInBatches, BetaBatch, Nothing> batch_;
};

}  // namespace dcmrank
