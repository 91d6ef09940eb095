#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "dcmrank/random/rng.h"

namespace dcmrank {

/// A short random stream that costs nothing to begin: draw n is a hash of (key, n), as SplitMix64.
/// For the few draws of one item in one round.
class CounterRng {
 public:
  explicit constexpr CounterRng(std::uint64_t key, std::uint64_t next = 0)
      : key_(key), next_(next) {}
  constexpr std::uint64_t operator()() { return subkey(key_, next_++); }

  /// Uniform in the open interval (0, 1).
  constexpr double inside() { return (static_cast<double>((*this)() >> 12) + 0.5) * 0x1p-52; }

 private:
  std::uint64_t key_;
  std::uint64_t next_;
};

/// A draw from Beta(a, b), a >= 1 and b >= 1, not necessarily whole. The same bits on every
/// machine, which the distributions of the standard library do not promise.
double sample_beta(double a, double b, CounterRng& rng);

/// Several draws at once, for vector instructions, as columns.
struct BetaBatch {
  static constexpr std::size_t kRoom = 64;
  using Column = std::array<double, kRoom>;

  std::size_t size = 0;
  alignas(64) Column a{};
  alignas(64) Column b{};
  std::array<std::uint64_t, kRoom> key{};
  alignas(64) Column draw{};
  // Scratch; filled with numbers that are safe to compute with.
  alignas(64) Column asking_a = filled(2);
  alignas(64) Column asking_b = filled(2);
  alignas(64) Column u1 = filled(0.5);
  alignas(64) Column u2 = filled(0.5);
  alignas(64) Column proposal{};

 private:
  static Column filled(double with) {
    Column column;
    column.fill(with);
    return column;
  }
};

/// draw becomes sample_beta(a, b, CounterRng(key)), bit by bit.
void sample_betas(BetaBatch& batch);

}  // namespace dcmrank
