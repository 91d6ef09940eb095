#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "dcmrank/model/interaction.h"
#include "dcmrank/random/rng.h"

namespace dcmrank {

/// Decides between equal scores at random, but as a function of (round's key, item): so that the
/// winner does not depend on the order in which a selection algorithm meets the items.
class TieBreak {
 public:
  explicit TieBreak(std::uint64_t key) : key_(key) {}

  /// Not at random: the smaller item wins.
  static TieBreak in_order() {
    TieBreak ties(0);
    ties.in_order_ = true;
    return ties;
  }

  std::uint64_t operator()(Item e) const { return in_order_ ? ~std::uint64_t{e} : subkey(key_, e); }

 private:
  std::uint64_t key_;
  bool in_order_ = false;
};

struct Scored {
  double score;
  Item item;
};

/// "a goes before b": by score, then by the tie-break.
class Better {
 public:
  explicit Better(TieBreak ties) : ties_(ties) {}
  bool operator()(const Scored& a, const Scored& b) const {
    if (a.score != b.score) return a.score > b.score;
    return ties_(a.item) > ties_(b.item);
  }

 private:
  TieBreak ties_;
};

/// Brings the `count` best to the front, in order. O(L + K log K) on average.
inline void select_best(std::span<Scored> scored, std::size_t count, const Better& better) {
  constexpr std::size_t kFew = 64;
  if (count > kFew) {
    const auto end = scored.begin() + static_cast<std::ptrdiff_t>(count);
    if (scored.size() > count) std::nth_element(scored.begin(), end, scored.end(), better);
    std::sort(scored.begin(), end, better);
    return;
  }
  // The few best are kept sorted while the rest pass by; hardly any of those gets in.
  for (std::size_t i = 0; i < scored.size(); ++i) {
    std::size_t place = std::min(i, count - 1);
    const Scored next = scored[i];
    if (i >= count) {
      if (!better(next, scored[place])) continue;
      scored[i] = scored[place];
    }
    for (; place > 0 && better(next, scored[place - 1]); --place) scored[place] = scored[place - 1];
    scored[place] = next;
  }
}

}  // namespace dcmrank
