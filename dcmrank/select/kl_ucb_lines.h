#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dcmrank/index/clocked_kl_ucb.h"
#include "dcmrank/index/kl_ucb_batch.h"
#include "dcmrank/model/counts.h"
#include "dcmrank/select/kl_ucb_plane.h"

namespace dcmrank {

/// Bounds of KL-UCB indices (kl_ucb_plane.h) as time goes on. Between changes of its counts an
/// entry is a line over the clock; when they change it is moved along its plane. Bounds decide only
/// what is further apart than they are wide; the rest is decided by the indices themselves: so
/// lists do not depend on the bits of the bounds.
class KlUcbLines {
 public:
  using Entry = std::uint32_t;

  explicit KlUcbLines(std::size_t size) : lines_(size), planes_(size) {}

  std::size_t size() const { return lines_.size(); }
  void resize(std::size_t size) {
    lines_.resize(size);
    planes_.resize(size);
  }

  /// At least the index at this clock.
  double upper(Entry e, double clock) const {
    return lines_[e].intercept + lines_[e].slope * clock;
  }

  double slope(Entry e) const { return lines_[e].slope; }

  /// At most the index, given upper(e, clock); -1 where nothing is known.
  double lower(Entry e, double upper) const {
    const Line& line = lines_[e];
    return lower_bound(upper, line.origin, line.sway, line.bend, line.reach);
  }

  /// Whether the bounds are wide enough for a refresh to pay.
  bool is_loose(Entry e, double upper) const { return upper - lower(e, upper) > kLoose; }

  /// The entry's plane at its last refresh.
  const KlUcbPlane& plane(Entry e) const { return planes_[e]; }

  /// Copies the bounds of `from`, from which `to` is then refreshed or moved.
  void begin_like(Entry to, Entry from) {
    lines_[to] = lines_[from];
    planes_[to] = planes_[from];
  }

  /// The counts of this entry have become these.
  template <ClockedKlUcb I>
  void move(Entry e, const I& index, const Counts& counts) {
    const double budget = index.budget(counts);
    if (counts.observed <= 0 || budget <= 0) return bury(e, kUnknown);
    const double by_observed = 1 / counts.observed;
    put(e, counts.attracted * by_observed, by_observed, budget - index.clock());
  }

  /// New bounds, as narrow as they can be at the present clock; `counts(e)` are the counts of entry
  /// e.
  template <ClockedKlUcb I, class CountsOf>
  void refresh(std::span<const Entry> entries, const I& index, CountsOf counts) {
    for_batches(entries, index, counts, [&](std::span<const Entry> some) {
      for (std::size_t i = 0; i < some.size(); ++i) {
        const Line& line = lines_[some[i]];
        batch_.q[i] = planes_[some[i]].q;
        batch_.log_q[i] = line.log_q;
        batch_.log_rest[i] = line.log_rest;
      }
      approach_indices(batch_);
      for (std::size_t i = 0; i < some.size(); ++i) {
        if (batch_.error[i] < kMargin / 2) {
          keep(some[i], i, index.clock());
        } else {
          keep_index(some[i], i, index.clock());
        }
      }
    });
  }

  /// The indices themselves; bounds stay as they are.
  template <ClockedKlUcb I, class CountsOf>
  void find(std::span<const Entry> entries, const I& index, CountsOf counts,
            std::vector<double>& indices) {
    indices.clear();
    for_batches(entries, index, counts, [&](std::span<const Entry> some) {
      find_indices(batch_);
      indices.insert(indices.end(), batch_.q.begin(),
                     batch_.q.begin() + static_cast<std::ptrdiff_t>(some.size()));
    });
  }

  /// Puts an entry below all others.
  void bury(Entry e) { bury(e, -1); }

 private:
  static constexpr double kLoose = 1e-8;
  static constexpr double kMargin = KlUcbPlane::kMargin;
  static constexpr double kUnknown = KlUcbPlane::kUnknown;

  // At first, nothing is known.
  struct alignas(64) Line {
    double intercept = kUnknown;
    double slope = 0;
    // See lower_bound.
    double origin = 1;
    double sway = 0;
    double bend = 0;
    double reach = -1;
    // Of the plane's q and of 1 - q.
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

  // Where the plane is at this mean and number of observations, as a function of the clock, which
  // the budget exceeds by `ahead`.
  void put(Entry e, double mean, double by_observed, double ahead) {
    const KlUcbPlane& plane = planes_[e];
    Line& line = lines_[e];
    const double shift = mean - plane.mean;
    line.slope = plane.by_budget * by_observed;
    line.intercept = plane.base + plane.by_mean * mean + line.slope * ahead;
    line.origin = plane.q + shift;
    line.sway = sway_of(shift, plane.sway, plane.mean_reach);
  }

  void bury(Entry e, double at) {
    lines_[e] = {};
    lines_[e].intercept = at;
    planes_[e] = {};
  }

  // Stores the i-th of the batch, at its q; `divergence` is D(mean || q).
  void keep(Entry e, std::size_t i, double clock);
  void keep(Entry e, std::size_t i, double clock, double divergence);
  void keep_index(Entry e, std::size_t i, double clock);

  std::vector<Line> lines_;
  std::vector<KlUcbPlane> planes_;
  KlUcbBatch batch_;
};

}  // namespace dcmrank
