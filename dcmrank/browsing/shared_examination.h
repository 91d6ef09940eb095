#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dcmrank/browsing/fit.h"

namespace dcmrank {

/// How users look at positions, whatever they look for: what the queries of a model have in common
/// in the browsing model.
///
/// As a row of numbers: the attraction of an average item; then, for each position k from 0, the
/// examination of its k + 1 contexts, and k numbers of `spread`. So the row of fewer positions is
/// the beginning of that of more.
struct SharedExamination {
  double average;                   // the attraction of an average item
  std::vector<double> examination;  // g, by context
  /// L, lower triangular, its rows one after the other: L L^T is the covariance of the doubts x
  /// about the scales of positions (BrowsingFit::share). Of the first positions alone it is that of
  /// the first rows, which the inverse of the covariance, BrowsingFit::root, is not.
  std::vector<double> spread;

  explicit SharedExamination(const BrowsingFit& fit);

  static std::size_t row_size(std::size_t positions) { return 1 + positions * positions; }
  std::vector<double> to_row() const;

  /// Takes what the row has of its own positions; the others stay as they are.
  void take(std::span<const double> row);

  /// Standard normal numbers, one for each position below the first, become draws of x.
  void spread_out(std::span<double> z) const;
};

}  // namespace dcmrank
