// The draws of Thompson sampling on a browsing model: of the attraction of every item, and of how
// far the examination of every position may be off.
#pragma once

#include <cstdint>
#include <span>

#include "dcmrank/browsing/item.h"
#include "dcmrank/random/beta.h"
#include "dcmrank/select/scored.h"

namespace dcmrank {

/// The keys of both, from that of a round.
inline std::uint64_t scale_key(std::uint64_t key) { return subkey(key, 1); }
inline std::uint64_t item_key(std::uint64_t key) { return subkey(key, 2); }

/// What was observed of an item counts so many times in the draws.
double sharpness(double observed);

/// Standard normal numbers, the same bits on every machine.
void draw_normals(std::uint64_t key, std::span<double> out);

/// An attraction where the examination of position k, counted from 1 below the first, is e^x_k
/// times what was fitted (BrowsingFit::share).
double doubted(double attraction, std::span<const double> x, std::span<const double> shares);

/// Draws attractions as if examination were what was fitted.
class AttractionDraws {
 public:
  /// `scored` becomes the items 0, 1, ..., each with a draw.
  void operator()(std::span<const KnownItem> known, std::uint64_t key, std::span<Scored> scored);

 private:
  void fill(std::span<const KnownItem> known);

  BetaBatch batch_;
};

}  // namespace dcmrank
