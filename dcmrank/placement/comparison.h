// A page with an explorer compares it with the leader that it displaces. Where the two stand last,
// and few users look there, that takes long; higher up a look may be cheap, and is had at once.
#pragma once

#include <cmath>
#include <cstdint>

namespace dcmrank {

/// The subkey of a round's key for the draw of `moves`, above every Item.
inline constexpr std::uint64_t kMoveKey = (std::uint64_t{1} << 32U) + 2;

/// One of the two that are compared: the mean of what was observed, and how much that was.
struct Compared {
  double mean;
  double observed;
};

/// An item at some place: what its list loses against that of the leaders, and how often the item
/// is looked at there.
struct Look {
  double loss;
  double seen;

  double price() const { return loss / seen; }
};

/// How far apart the two may be: the distance of their means, and what is not known of either.
inline double doubt_between(const Compared& a, const Compared& b) {
  const auto variance = [](const Compared& c) {
    const double mean = (c.mean * c.observed + 1) / (c.observed + 2);
    return mean * (1 - mean) / (c.observed + 2);
  };
  const double gap = a.mean - b.mean;
  return std::sqrt(gap * gap + variance(a) + variance(b));
}

/// Whether the comparison moves `there` from a place that is looked at with a chance of `here`. A
/// look there must cost less than half of what is in doubt. That is not enough: what is hardly ever
/// looked at is not worth much either. All that a page can lose by the doubt is here x doubt; so
/// that looks cost no more than some times that on average, the comparison moves on some pages
/// only, by `draw`, a number between 0 and 1.
inline bool moves(const Look& there, double here, double doubt, double draw, double times) {
  return there.price() < .5 * doubt && draw * there.loss < times * here * doubt;
}

}  // namespace dcmrank
