#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>

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
    const double clicked = std::max(0.0, row[0]);
    return {clicked, std::clamp(row[1], 0.0, clicked)};
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

  static std::string_view item_fault(std::span<const double> row, double pages) {
    const auto [looks, clicks, slack, fault] = read(row, pages);
    if (!fault.empty()) return fault;
    if (clicks > pages) return "clicks are above rounds";
    return count_fault(looks, clicks, pages, slack);
  }
  static std::string_view position_fault(std::span<const double> row, double pages) {
    const auto [clicked, terminated, slack, fault] = read(row, pages);
    if (!fault.empty()) return fault;
    if (clicked < 0) return "clicks are below 0";
    if (clicked > pages) return "clicks are above rounds";
    if (terminated < -slack) return "terminations are below 0";
    return terminated > clicked + slack ? "terminations are above clicks" : "";
  }

  static constexpr RowFamily kFamily{"dcm",      counts_in,      true, false,
                                     item_fault, position_fault, true};

 private:
  struct Numbers {
    double first = 0;
    double second = 0;
    double slack = 0;
    std::string_view fault{};
  };

  // A page in doubt that revises earlier ones (doubt.h) adds from -3 to 4 instead of up to 1. Where
  // some of them are taken back, sums may be out of range by that; reading brings them into it.
  // `believed` moves by up to the number of pages to 3/8: below 2^17 for any that will ever come.
  static Numbers read(std::span<const double> row, double pages) {
    constexpr double kRevised = 4;
    constexpr double kMoved = 1U << 17U;
    if (row.size() > kSize) return {.fault = "it has more than 5 numbers"};
    const auto at = [&](std::size_t n) { return n < row.size() ? row[n] : 0; };
    const double doubts = at(2);
    if (doubts < 0) return {.fault = "pages in doubt are below 0"};
    if (doubts > pages) return {.fault = "pages in doubt are above rounds"};
    const bool moved = std::abs(at(3)) > kRevised * doubts || std::abs(at(4)) > kMoved * doubts;
    if (moved) return {.fault = "weights are above pages in doubt"};
    return {at(0), at(1), kRevised * doubts, {}};
  }
};

}  // namespace dcmrank
