#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "dcmrank/model/interaction.h"
#include "dcmrank/select/kl_ucb_columns.h"
#include "dcmrank/select/kl_ucb_lines.h"
#include "dcmrank/select/tie_draws.h"

namespace dcmrank {

/// The best items by a KL-UCB index where items are few. Mostly the last list is right again:
/// bounds decide the order of its items, and the others, whose counts stay as they are, are known
/// to stay below for a while. Otherwise the bounds of all are looked at, and the indices of those
/// that bounds do not separate are computed. One thread at a time.
class FlatSelection {
 public:
  explicit FlatSelection(std::size_t items)
      : lines_(items),
        order_(items),
        is_top_(items),
        stale_(items),
        is_stale_(items),
        is_taken_(items) {
    std::iota(order_.begin(), order_.end(), Item{0});
    start_over();
  }

  /// The counts of these items may have changed.
  void changed(std::span<const Item> items) {
    unsigned others = 0;
    for (const Item e : items) others |= is_top_[e] ^ 1U;
    if (others == 0) return;  // the top is looked at anyway
    for (const Item e : items) note(e);
  }

  /// Any counts may have changed, and the clock may go back.
  void start_over() {
    stale_count_ = order_.size();
    std::iota(stale_.begin(), stale_.end(), Item{0});
    std::fill(is_stale_.begin(), is_stale_.end(), std::uint8_t{1});
  }

  /// Fills `best` with the items of the largest indices, the largest first, ties by `ties`.
  /// `taken` are left out.
  template <ClockedKlUcb I>
  void select(const I& index, std::span<const Counts> counts, std::span<const Item> taken,
              TieDraws& ties, std::span<Item> best) {
    if (top_.size() != best.size()) make_room(best.size());
    if (stale_count_ > 0 || is_top_taken(taken)) rest_until_ = -1;
    if (planes_decide(index, counts) || bounds_decide(index, counts, taken)) {
      std::copy_n(order_.begin(), best.size(), best.begin());
    } else {
      settle(index, counts, taken, ties, best);
    }
  }

 private:
  static constexpr double kLost = 1e-3;  // bounds this far apart decide little

  struct Bounded {
    double upper;
    double lower;
    Item item;
  };

  void note(Item e) {
    if (is_stale_[e] != 0) return;
    is_stale_[e] = 1;
    stale_[stale_count_++] = e;
  }

  void make_room(std::size_t count) {
    top_.resize(count);
    planes_ = KlUcbColumns(count);
    std::fill(is_top_.begin(), is_top_.end(), std::uint8_t{0});
    for (std::size_t i = 0; i < count; ++i) is_top_[order_[i]] = 1;
    rest_until_ = -1;
  }

  bool is_top_taken(std::span<const Item> taken) const {
    return std::any_of(taken.begin(), taken.end(), [&](Item e) { return is_top_[e] != 0; });
  }

  // Whether the items of the last list are right again, perhaps in another order.
  template <class I>
  bool planes_decide(const I& index, std::span<const Counts> counts) {
    if (index.clock() > rest_until_) return false;
    if constexpr (!I::kOneBudget) {
      for (std::size_t i = 0; i < top_.size(); ++i) {
        planes_.lead(i, index.budget(counts[order_[i]]) - index.clock());
      }
    }
    if (planes_.are_in_order(index.clock(), counts.data(), rest_upper_)) return true;
    for (std::size_t i = 0; i < top_.size(); ++i) {
      insert(i, {planes_.upper(i), planes_.lower(i), order_[i]});
    }
    runner_up_ = rest_upper_;
    if (!is_certain()) return false;
    keep_top();
    remember_planes();
    return true;
  }

  // Whether bounds, refreshed if needed, decide the list, which then is the beginning of order_.
  template <class I>
  bool bounds_decide(const I& index, std::span<const Counts> counts, std::span<const Item> taken) {
    move_stale(index, counts);
    for (const Item e : taken) is_taken_[e] = 1;
    any_taken_ = !taken.empty();
    const bool decided = all_bounds_decide(index, counts);
    for (const Item e : taken) is_taken_[e] = 0;
    rest_until_ = -1;
    if (!decided || !taken.empty()) return decided;
    look_ahead(index.clock());
    remember_planes();
    return true;
  }

  template <class I>
  bool all_bounds_decide(const I& index, std::span<const Counts> counts) {
    order_all(index.clock());
    if (is_certain()) return true;
    find_loose(index.clock());
    if (candidates_.empty()) return false;
    refresh(candidates_, index, counts);
    order_all(index.clock());
    return is_certain();
  }

  // Moves the bounds of items whose counts have changed; renews those that have become too wide.
  template <class I>
  void move_stale(const I& index, std::span<const Counts> counts) {
    for (const Item e : std::span(order_).first(top_.size())) note(e);
    std::size_t lost = 0;
    for (std::size_t i = 0; i < stale_count_; ++i) {
      const Item e = stale_[i];
      is_stale_[e] = 0;
      lines_.move(e, index, counts[e]);
      const double here = lines_.upper(e, index.clock());
      if (here - lines_.lower(e, here) > kLost) stale_[lost++] = e;
    }
    stale_count_ = 0;
    if (lost > 0) refresh(std::span(stale_).first(lost), index, counts);
  }

  template <class I>
  void refresh(std::span<const Item> items, const I& index, std::span<const Counts> counts) {
    lines_.refresh(items, index, [&](Item e) -> const Counts& { return counts[e]; });
  }

  double upper_unless_taken(Item e, double clock) const {
    return is_taken_[e] != 0 ? -1 : lines_.upper(e, clock);
  }
  Bounded bounded(Item e, double upper) const { return {upper, lines_.lower(e, upper), e}; }

  // The largest upper bounds into top_, and the largest of the rest into runner_up_. Begins with
  // the last top, which mostly is the top again.
  void order_all(double clock) {
    if (any_taken_) {
      order_all_by([&](Item e) { return upper_unless_taken(e, clock); });
    } else {
      order_all_by([&](Item e) { return lines_.upper(e, clock); });
    }
  }

  template <class Upper>
  void order_all_by(Upper upper) {
    const std::size_t count = top_.size();
    for (std::size_t i = 0; i < count; ++i) insert(i, bounded(order_[i], upper(order_[i])));
    double threshold = top_[count - 1].upper;
    double runner_up = -2;
    for (std::size_t i = count; i < order_.size(); ++i) {
      const Item e = order_[i];
      const double here = upper(e);
      runner_up = std::max(runner_up, std::min(here, threshold));
      if (here <= threshold) continue;
      const Item last = top_[count - 1].item;
      is_top_[last] = 0;
      is_top_[e] = 1;
      order_[i] = last;
      insert(count - 1, bounded(e, here));
      threshold = top_[count - 1].upper;
    }
    runner_up_ = runner_up;
    keep_top();
  }

  void keep_top() {
    for (std::size_t i = 0; i < top_.size(); ++i) order_[i] = top_[i].item;
  }

  // Inserts into the sorted top_, whose `place` is free.
  void insert(std::size_t place, const Bounded& b) {
    for (; place > 0 && top_[place - 1].upper < b.upper; --place) top_[place] = top_[place - 1];
    top_[place] = b;
  }

  // Whether the order of top_ is that of the indices.
  bool is_certain() const {
    bool certain = top_.back().lower > runner_up_;
    for (std::size_t n = 1; n < top_.size(); ++n) certain &= top_[n - 1].lower > top_[n].upper;
    return certain;
  }

  // The items that prevent a decision and whose bounds could be narrower.
  void find_loose(double clock) {
    double least = 2;
    for (const Bounded& b : top_) least = std::min(least, b.lower < 0 ? b.upper : b.lower);
    candidates_.clear();
    for (const Item e : order_) {
      const double here = upper_unless_taken(e, clock);
      if (here >= least && lines_.is_loose(e, here)) candidates_.push_back(e);
    }
  }

  // Finds a clock up to which the rest certainly stays below the top: it may use up a quarter of
  // the distance.
  void look_ahead(double clock) {
    const auto rest = std::span<const Item>(order_).subspan(top_.size());
    double steepest = 1e-9;
    for (const Item e : rest) steepest = std::max(steepest, lines_.slope(e));
    rest_until_ = clock + (top_.back().lower - runner_up_) / (4 * steepest);
    rest_upper_ = -2;
    for (const Item e : rest) rest_upper_ = std::max(rest_upper_, lines_.upper(e, rest_until_));
  }

  bool remember_planes() {
    for (std::size_t i = 0; i < top_.size(); ++i)
      planes_.put(i, order_[i], lines_.plane(order_[i]));
    return true;
  }

  // Makes the list from the indices of all items that can be in it.
  template <class I>
  void settle(const I& index, std::span<const Counts> counts, std::span<const Item> taken,
              TieDraws& ties, std::span<Item> best) {
    double least = 2;
    for (const Bounded& b : top_) least = std::min(least, b.lower);
    for (const Item e : taken) is_taken_[e] = 1;
    candidates_.clear();
    for (Item e = 0; e < order_.size(); ++e) {
      if (is_taken_[e] == 0 && lines_.upper(e, index.clock()) >= least) candidates_.push_back(e);
    }
    for (const Item e : taken) is_taken_[e] = 0;
    lines_.find(
        candidates_, index, [&](Item e) -> const Counts& { return counts[e]; }, indices_);
    for (Item& place : best) place = take_best(ties);
  }

  // Removes the next item of the list from the candidates, which stay in the order of their
  // numbers.
  Item take_best(TieDraws& ties) {
    const double most = *std::max_element(indices_.begin(), indices_.end());
    auto skip =
        ties.below(static_cast<std::uint64_t>(std::count(indices_.begin(), indices_.end(), most)));
    auto at = std::find(indices_.begin(), indices_.end(), most);
    for (; skip > 0; --skip) at = std::find(at + 1, indices_.end(), most);
    const auto place = at - indices_.begin();
    const Item taken = candidates_[static_cast<std::size_t>(place)];
    indices_.erase(at);
    candidates_.erase(candidates_.begin() + place);
    return taken;
  }

  KlUcbLines lines_;
  std::vector<Item> order_;   // those of top_ first
  std::vector<Bounded> top_;  // the best when it was ordered last
  std::vector<std::uint8_t> is_top_;
  double runner_up_ = 0;
  // A bound of all but the top, while their counts stay, and the clock up to which it holds.
  double rest_upper_ = 0;
  double rest_until_ = -1;
  KlUcbColumns planes_{0};   // of the top
  std::vector<Item> stale_;  // the first stale_count_
  std::size_t stale_count_ = 0;
  std::vector<std::uint8_t> is_stale_;
  std::vector<std::uint8_t> is_taken_;
  bool any_taken_ = false;
  std::vector<Item> candidates_;
  std::vector<double> indices_;
};

}  // namespace dcmrank
