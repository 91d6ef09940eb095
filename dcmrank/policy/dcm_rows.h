#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "dcmrank/model/counts.h"
#include "dcmrank/model/doubt.h"
#include "dcmrank/model/termination_counts.h"
#include "dcmrank/policy/open_policy.h"

namespace dcmrank {

/// The rows of the family of dcmKL-UCB (dcm_policy.h). An item's: observed, attracted, and its
/// Doubt; a position's: clicked, terminated, and its Doubt.
struct DcmRows {
  static constexpr std::size_t kSize = 5;

  static Counts counts_in(std::span<const double> row) {
    const double attracted = std::max(0.0, row[1]);
    return {std::max(row[0], attracted), attracted};
  }
  static TerminationCounts terminations_in(std::span<const double> row) {
    return {std::max(0.0, row[0]), std::max(0.0, row[1])};
  }
  static Doubt doubt_in(std::span<const double> row) {
    const double pages = std::max(0.0, row[2]);
    return {pages, std::clamp(row[3], 0.0, pages), std::clamp(row[4], 0.0, pages)};
  }
  static void write(double first, double second, const Doubt& doubt, std::span<double> row) {
    row[0] = first;
    row[1] = second;
    row[2] = doubt.pages;
    row[3] = doubt.weight;
    row[4] = doubt.believed;
  }
  static constexpr RowFamily kFamily{"dcm", counts_in, true};
};

}  // namespace dcmrank
