#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <limits>

namespace dcmrank {

/// A bijection of 64-bit words that scatters its input (the finaliser of SplitMix64, variant 13 of
/// Stafford). A hash of a counter is a random stream that can be entered anywhere.
constexpr std::uint64_t mix64(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// The odd constant by which SplitMix64 advances: counters are multiplied by it before mixing.
inline constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15u;

/// The key of counter `n` below `key`: independent keys for different n.
constexpr std::uint64_t subkey(std::uint64_t key, std::uint64_t n) {
  return mix64(key + (n + 1) * kGolden);
}

/// The key of one independent stream: what it is for, the user's seed, and the run.
enum class Stream : std::uint64_t { kUsers = 1, kPolicy = 2, kLog = 3, kWorlds = 4 };
constexpr std::uint64_t stream_key(Stream purpose, std::uint64_t seed, std::uint64_t run) {
  return subkey(subkey(subkey(static_cast<std::uint64_t>(purpose), seed), run), 0);
}

/// A uniform number in [0, 1) from the upper 53 bits.
constexpr double to_unit(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

/// xoshiro256++ of Blackman and Vigna: the generator handed to policies. A value type: a copy
/// continues independently, equal states give equal draws.
class Rng {
 public:
  using result_type = std::uint64_t;
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }

  explicit constexpr Rng(std::uint64_t key) {
    for (std::uint64_t n = 0; n < state_.size(); ++n) state_[n] = subkey(key, n);
  }

  constexpr result_type operator()() {
    const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  constexpr double uniform() { return to_unit((*this)()); }

  /// A uniform integer in [0, n), n >= 1, without bias (rejection of the incomplete last block).
  constexpr std::uint64_t below(std::uint64_t n) {
    const std::uint64_t reject = (0 - n) % n;
    for (;;) {
      const std::uint64_t draw = (*this)();
      if (draw >= reject) return draw % n;
    }
  }

  bool operator==(const Rng&) const = default;

 private:
  std::array<std::uint64_t, 4> state_{};
};

}  // namespace dcmrank
