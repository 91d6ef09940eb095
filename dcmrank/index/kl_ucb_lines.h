#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "dcmrank/index/kl_ucb_batch.h"
#include "dcmrank/model/counts.h"

namespace dcmrank {

/// A KL-UCB index as a function of time: the budget of counts is clock() less a constant of the
/// counts wherever it is positive, and the clock never goes back while counts stay as they are.
template <class I>
concept ClockedKlUcb = requires(const I& index, const Counts& counts) {
  { index.clock() } -> std::same_as<double>;
  { index.budget(counts) } -> std::same_as<double>;
};

/// Two-sided bounds of KL-UCB indices that cost a multiplication or two instead of the solution of
/// an equation. The index is a concave, increasing function of the budget (its inverse,
/// T D_KL(w || .), is convex): so its tangent at one budget bounds it from above at all others, and
/// its curvature from below nearby. An entry holds until its counts change; then it must be
/// refreshed. Bounds decide only what is further apart than they are wide; the rest is decided by
/// the indices themselves: so lists do not depend on the bits of the bounds.
class KlUcbLines {
 public:
  using Entry = std::uint32_t;

  explicit KlUcbLines(std::size_t size) : lines_(size) {}

  std::size_t size() const { return lines_.size(); }
  void resize(std::size_t size) { lines_.resize(size); }

  /// At least the index at this clock.
  double upper(Entry e, double clock) const {
    return lines_[e].intercept + lines_[e].slope * clock;
  }

  double slope(Entry e) const { return lines_[e].slope; }

  /// At most the index, given upper(e, clock); -1 where nothing is known.
  double lower(Entry e, double upper) const {
    const double x = upper - lines_[e].q;
    const double bend = lines_[e].curvature * std::abs(x);
    return bend <= kFar ? upper - 2 * kMargin - bend * std::abs(x) : -1;
  }

  /// Whether the bounds are so far apart that refreshing would pay.
  bool is_loose(Entry e, double upper) const { return upper - lower(e, upper) > kLoose; }

  /// Where refreshing `to` shall begin: where `from` is.
  void begin_like(Entry to, Entry from) { lines_[to] = lines_[from]; }

  /// Bounds anew, for the present clock; `counts(e)` are the counts of entry e. Where the old ones
  /// are so good a start that the new are no further apart than `width`, it costs half.
  template <ClockedKlUcb I, class CountsOf>
  void refresh(std::span<const Entry> entries, const I& index, CountsOf counts, double width = 0) {
    batch_.width = width;
    for_batches(entries, index, counts, [&](std::span<const Entry> some) {
      for (std::size_t i = 0; i < some.size(); ++i) {
        const Line& line = lines_[some[i]];
        batch_.q[i] = line.q;
        batch_.log_q[i] = line.log_q;
        batch_.log_rest[i] = line.log_rest;
      }
      find_tangents(batch_);
      for (std::size_t i = 0; i < some.size(); ++i) {
        if (batch_.error[i] < kMargin / 2) {
          keep(lines_[some[i]], i, index.clock());
        } else {
          keep_index(lines_[some[i]], i, index.clock());
        }
      }
    });
  }

  /// Likewise, and the indices themselves.
  template <ClockedKlUcb I, class CountsOf>
  void find(std::span<const Entry> entries, const I& index, CountsOf counts,
            std::vector<double>& indices) {
    indices.clear();
    for_batches(entries, index, counts, [&](std::span<const Entry> some) {
      find_indices(batch_);
      for (std::size_t i = 0; i < some.size(); ++i) {
        indices.push_back(batch_.q[i]);
        keep_index(lines_[some[i]], i, index.clock(), batch_.q[i]);
      }
    });
  }

  /// An entry that is below all others.
  void bury(Entry e) {
    lines_[e] = {};
    lines_[e].intercept = -1;
  }

 private:
  // Far above the errors of tangents that are kept and of the index, far below what matters.
  static constexpr double kMargin = 1e-11;
  static constexpr double kLoose = 1e-8;
  static constexpr double kFar = 0.125;  // see find_tangents

  // To begin with, nothing is known. q is where the index is on the tangent, and where to begin.
  struct alignas(64) Line {
    double intercept = 1 + kMargin;
    double slope = 0;
    double q = 1;
    double curvature = std::numeric_limits<double>::infinity();
    double log_q = 0;
    double log_rest = -700;
  };

  template <class I, class CountsOf, class Use>
  void for_batches(std::span<const Entry> entries, const I& index, CountsOf counts, Use use) {
    while (!entries.empty()) {
      const std::size_t size = std::min(entries.size(), KlUcbBatch::kRoom);
      for (std::size_t i = 0; i < size; ++i) {
        const Counts& c = counts(entries[i]);
        batch_.observed[i] = c.observed;
        batch_.attracted[i] = c.attracted;
        batch_.budget[i] = index.budget(c);
      }
      batch_.size = size;
      use(entries.first(size));
      entries = entries.subspan(size);
    }
  }

  // The i-th of the batch.
  void keep(Line& line, std::size_t i, double clock) const {
    const double slope = batch_.slope[i];
    line = {batch_.height[i] - clock * slope + kMargin,
            slope,
            batch_.q[i],
            batch_.curvature[i],
            batch_.log_q[i],
            batch_.log_rest[i]};
  }
  void keep_index(Line& line, std::size_t i, double clock) const;
  void keep_index(Line& line, std::size_t i, double clock, double index) const;

  std::vector<Line> lines_;
  KlUcbBatch batch_;
};

}  // namespace dcmrank
