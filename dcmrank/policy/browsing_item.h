// What a row of a browsing table (browsing_table.h) says about its item where the examination of
// every context is known: P(click) = w g_b for an item of attraction w in context b. The fit of a
// table uses it for all items, the service for those of a request.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "dcmrank/policy/browsing_table.h"

namespace dcmrank {

/// Clicks and looks, weighted by the inverse of a click's variance over its mean.
struct WeightedSums {
  double clicks = 0;
  double looks = 0;
};

inline constexpr double kMostCertain = .98;  // a click is never taken for more certain than this

inline double click_weight(double click) { return 1 / (1 - std::min(kMostCertain, click)); }

/// Of an item: what a Beta distribution of its attraction is made from, between two fits too.
struct KnownItem {
  double observed = 0;     // T: looks, in units of a look at the first position
  double attracted = 0;    // S
  double examination = 1;  // that of an average look at the item
};

/// A better attraction than `before`, whose weights are used; `prior` is that of an average item,
/// two looks at which are added.
double next_attraction(std::span<const BrowsingCell> row, std::span<const double> examination,
                       double before, double prior);

/// The attraction by itself: from plain sums, and once more with their weights. More steps would
/// move it by less than it is uncertain.
double attraction_of(std::span<const BrowsingCell> row, std::span<const double> examination,
                     double prior);

/// How much was seen of an item of attraction w.
KnownItem known_of(std::span<const BrowsingCell> row, std::span<const double> examination,
                   double w);

/// Of an item of attraction w, by position: `looks` become the information about ln w, H, `clicks`
/// the slope of the log-likelihood by it, both from contexts examined less than `most`. Returns
/// their sums over all contexts.
WeightedSums look_at(std::span<const BrowsingCell> row, std::span<const double> examination,
                     double w, double most, std::span<WeightedSums> by_position);

}  // namespace dcmrank
