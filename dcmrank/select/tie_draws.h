#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dcmrank/random/rng.h"

namespace dcmrank {

/// How the KL-UCB family breaks ties, place after place: where m > 1 of the items left have the
/// largest index, the next one is drawn by its place in the order of their numbers. Draws come in
/// order from the round's key, so every way of finding the list that knows the tied items, not
/// necessarily one by one, finds the same list.
class TieDraws {
 public:
  explicit constexpr TieDraws(std::uint64_t key) : key_(key) {}

  /// Uniform in [0, m), m >= 1; costs no draw where m is 1. By multiplication, without bias
  /// (Lemire, ACM Transactions on Modeling and Computer Simulation 29(1), 2019).
  constexpr std::uint64_t below(std::uint64_t m) {
    if (m <= 1) return 0;
    for (;;) {
      const auto product = static_cast<unsigned __int128>(subkey(key_, next_++)) * m;
      if (const auto low = static_cast<std::uint64_t>(product); low >= m || low >= (0 - m) % m) {
        return static_cast<std::uint64_t>(product >> 64);
      }
    }
  }

 private:
  std::uint64_t key_;
  std::uint64_t next_ = 0;
};

/// Draws one of several things, none twice: the rank of one of the `left` that are not in `gone`,
/// which has the ranks drawn before, in order. Adds it to `gone`.
inline std::size_t draw_rank(TieDraws& draws, std::size_t left, std::vector<std::size_t>& gone) {
  std::size_t rank = draws.below(left);
  auto at = gone.begin();
  for (; at != gone.end() && *at <= rank; ++at) ++rank;
  gone.insert(at, rank);
  return rank;
}

}  // namespace dcmrank
