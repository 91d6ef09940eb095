// What a row of a browsing table (seen_table.h) says about its item where the examination of
// every context is known: P(click) = w g_b for an item of attraction w in context b. The fit of a
// table uses it for all items, the service for those of a request.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "dcmrank/browsing/seen_table.h"
#include "dcmrank/model/counts.h"

namespace dcmrank {

/// Clicks and looks, weighted by the inverse of a click's variance over its mean.
struct WeightedSums {
  double clicks = 0;
  double looks = 0;

  void merge(const WeightedSums& other) {
    clicks += other.clicks;
    looks += other.looks;
  }
};

inline constexpr double kMostCertain = .98;  // a click is never taken for more certain than this

inline double click_weight(double click) { return 1 / (1 - std::min(kMostCertain, click)); }

/// Of an item: what a Beta distribution of its attraction is made from, between two fits too.
struct KnownItem {
  double observed = 0;     // T: looks, in units of a look at the first position
  double attracted = 0;    // S
  double examination = 1;  // that of an average look at the item
};

/// What is thought of an item: two looks at an average item are the prior.
inline double foretold_attraction(const Counts& counts, double average) {
  return (counts.attracted + 2 * average) / (counts.observed + 2);
}

/// A better attraction than `before`, whose weights are used; `prior` is that of an average item,
/// two looks at which are added.
double next_attraction(std::span<const SeenCell> row, std::span<const double> examination,
                       double before, double prior);

/// The attraction by itself: from plain sums, and once more with their weights. More steps would
/// move it by less than it is uncertain.
double attraction_of(std::span<const SeenCell> row, std::span<const double> examination,
                     double prior);

/// What was seen of an item of attraction w.
struct ItemLooks {
  KnownItem known;
  /// `looks` is the information about ln w, `clicks` the slope of the log-likelihood by it.
  WeightedSums all;
};

/// `by_position` becomes the part of `all` of each position that comes from contexts examined less
/// than `most`.
ItemLooks look_at(std::span<const SeenCell> row, std::span<const double> examination, double w,
                  double most, std::span<WeightedSums> by_position);

/// Which part of what is known of an item comes from a position.
inline double share(const WeightedSums& at_position, const WeightedSums& all) {
  return all.looks > 0 ? at_position.looks / all.looks : 0;
}

}  // namespace dcmrank
