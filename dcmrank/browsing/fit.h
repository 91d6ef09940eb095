#pragma once

#include <optional>
#include <vector>

#include "dcmrank/browsing/item.h"
#include "dcmrank/browsing/seen_table.h"
#include "dcmrank/browsing/table.h"
#include "dcmrank/placement/placement.h"

namespace dcmrank {

/// What a table says about users and items: P(click) = w_e g_b for item e in context b, fitted by
/// weighted sums, and how sure that is.
struct BrowsingFit {
  std::vector<double> examination;  // g, by context
  std::vector<double> attraction;   // w, by item; the fit's estimate
  std::vector<KnownItem> known;     // by item
  double average = .5;              // the attraction of an average item

  /// That attraction and examination are known only together: if the examination of position k is
  /// e^x times what was fitted, an item's attraction is e^(-share_k x) times that. Shares of
  /// positions 1, 2, ... (from 0), positions - 1 for each item.
  std::vector<double> share;
  /// The doubt about these x: the inverse of their covariance is R R^T, R lower triangular. It is
  /// that of examination somewhat lower than was fitted, which matters where little was seen.
  std::vector<double> root;

  // Scratch, so that a fit allocates nothing.
  std::optional<SeenTable> seen;
  std::vector<WeightedSums> sums;  // by context
  std::vector<WeightedSums> at_position;
  std::vector<double> slope;     // of the likelihood by these x
  std::vector<double> expected;  // clicks, by context
  std::vector<double> lower;     // by position
};

/// How often other positions may be examined for every look at the first: who says that the first
/// is not the best may mean that it is not examined most.
double most_examined(const PositionOrder& order);

/// Sweeps of weighted sums, and steps of Newton's method for the scale of each position. The fit
/// depends on the table alone: it begins from constants. O(cells seen + items seen x positions^2);
/// no allocation where `fit` had its room from an earlier one.
/// Examination is that of the first position, which is 1, times at most `most`; or at most 20 where
/// the clicks contradict that, as those of users do who look on after a click more surely than they
/// look at the first position.
void fit(const SeenTable& table, double most, BrowsingFit& fit);
void fit(const BrowsingTable& table, double most, BrowsingFit& result);
inline void fit(const BrowsingTable& table, BrowsingFit& result) { fit(table, 1, result); }

}  // namespace dcmrank
