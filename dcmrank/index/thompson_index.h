#pragma once

#include <algorithm>
#include <cstdint>

#include "dcmrank/index/index.h"
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
    return sample_beta(counts.attracted + 1, std::max(0.0, counts.observed - counts.attracted) + 1,
                       rng);
  }

 private:
  std::uint64_t key_ = 0;
};

static_assert(Index<ThompsonIndex>);

}  // namespace dcmrank
