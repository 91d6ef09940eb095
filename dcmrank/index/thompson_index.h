#pragma once

#include <algorithm>
#include <cstdint>

#include "dcmrank/index/index.h"
#include "dcmrank/model/estimate.h"
#include "dcmrank/random/beta.h"

namespace dcmrank {

/// Thompson sampling (Thompson, Biometrika 1933; Kaufmann, Korda and Munos, ALT 2012): a draw from
/// the posterior Beta(S + 1, T - S + 1) of a uniform prior. T and S may be fractional. The draw of
/// an item is a function of (round's key, item, counts).
class ThompsonIndex {
 public:
  void begin_round(std::uint64_t /*t*/, std::uint64_t key) { key_ = key; }

  double operator()(Item item, const Counts& counts) const {
    CounterRng rng(subkey(key_, item));
    const double failed = std::max(0.0, counts.observed - counts.attracted);
    return sample_beta(counts.attracted + 1, failed + 1, rng);
  }

 private:
  std::uint64_t key_ = 0;
};

/// Optimistic Thompson sampling (May, Korda, Lee and Leslie, JMLR 2012): the draw, but never below
/// the mean. A leader is not passed over for having drawn a low number, which teaches nothing.
class OptimisticThompsonIndex {
 public:
  void begin_round(std::uint64_t t, std::uint64_t key) { draw_.begin_round(t, key); }

  double operator()(Item item, const Counts& counts) const {
    const double draw = draw_(item, counts);
    return counts.observed > 0 ? std::max(draw, mean(counts)) : draw;
  }

 private:
  ThompsonIndex draw_;
};

static_assert(Index<ThompsonIndex> && Index<OptimisticThompsonIndex>);

}  // namespace dcmrank
