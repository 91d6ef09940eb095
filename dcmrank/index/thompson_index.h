#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "dcmrank/index/index.h"
#include "dcmrank/model/prior.h"
#include "dcmrank/random/beta.h"

namespace dcmrank {

/// The posterior Beta(a, b) of a uniform prior.
struct BetaShape {
  double a;
  double b;
};
inline BetaShape posterior_shape(const Counts& counts) {
  return {counts.attracted + 1, std::max(0.0, counts.observed - counts.attracted) + 1};
}

/// Thompson sampling (Thompson, Biometrika 1933; Kaufmann, Korda and Munos, ALT 2012): a draw from
/// the posterior Beta(S + 1, T - S + 1) of a uniform prior. T and S may be fractional. The draw of
/// an item is a function of (round's key, item, counts).
class ThompsonIndex {
 public:
  static constexpr bool kOptimistic = false;

  void begin_round(std::uint64_t /*t*/, std::uint64_t key) { key_ = key; }

  double operator()(Item item, const Counts& counts) const {
    CounterRng rng(subkey(key_, item));
    const BetaShape shape = posterior_shape(counts);
    return sample_beta(shape.a, shape.b, rng);
  }

  /// The same for items 0, 1, ..., many at a time in `batch`: use(item, draw).
  template <class Use>
  void for_all(std::span<const Counts> counts, BetaBatch& batch, Use use) const {
    for (std::size_t first = 0; first < counts.size(); first += BetaBatch::kRoom) {
      batch.size = std::min(counts.size() - first, BetaBatch::kRoom);
      for (std::size_t i = 0; i < batch.size; ++i) {
        const BetaShape shape = posterior_shape(counts[first + i]);
        batch.a[i] = shape.a;
        batch.b[i] = shape.b;
        batch.key[i] = subkey(key_, first + i);
      }
      sample_betas(batch);
      for (std::size_t i = 0; i < batch.size; ++i) {
        use(static_cast<Item>(first + i), batch.draw[i]);
      }
    }
  }

 private:
  std::uint64_t key_ = 0;
};

/// Optimistic Thompson sampling (May, Korda, Lee and Leslie, JMLR 2012): the draw, but never below
/// the mean. A leader is not passed over because of a low draw, which would teach nothing.
class OptimisticThompsonIndex {
 public:
  static constexpr bool kOptimistic = true;

  void begin_round(std::uint64_t t, std::uint64_t key) { draw_.begin_round(t, key); }

  double operator()(Item item, const Counts& counts) const {
    return optimistic(draw_(item, counts), counts);
  }

  template <class Use>
  void for_all(std::span<const Counts> counts, BetaBatch& batch, Use use) const {
    draw_.for_all(counts, batch, [&](Item e, double draw) { use(e, optimistic(draw, counts[e])); });
  }

 private:
  static double optimistic(double draw, const Counts& counts) {
    return counts.observed > 0 ? std::max(draw, mean(counts)) : draw;
  }

  ThompsonIndex draw_;
};

static_assert(Index<ThompsonIndex> && Index<OptimisticThompsonIndex>);

}  // namespace dcmrank
