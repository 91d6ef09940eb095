#pragma once

#include <cstdint>

#include "dcmrank/random/rng.h"

namespace dcmrank {

/// A short random stream that costs nothing to begin: draw n is a hash of (key, n), as SplitMix64.
/// For the few draws of one item in one round.
class CounterRng {
 public:
  explicit constexpr CounterRng(std::uint64_t key) : key_(key) {}
  constexpr std::uint64_t operator()() { return subkey(key_, next_++); }

  /// Uniform in the open interval (0, 1).
  constexpr double inside() { return (static_cast<double>((*this)() >> 12) + 0.5) * 0x1p-52; }

 private:
  std::uint64_t key_;
  std::uint64_t next_ = 0;
};

/// A draw from Beta(a, b), a >= 1 and b >= 1, not necessarily whole. The same bits on every
/// machine, which the distributions of the standard library do not promise.
double sample_beta(double a, double b, CounterRng& rng);

}  // namespace dcmrank
