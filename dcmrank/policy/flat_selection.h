#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "dcmrank/index/kl_ucb_lines.h"
#include "dcmrank/model/interaction.h"
#include "dcmrank/policy/tie_draws.h"

namespace dcmrank {

/// The best items by a KL-UCB index where items are few: the bounds of all are looked at, the
/// indices of those alone that bounds do not tell apart are computed. One thread at a time.
class FlatSelection {
 public:
  explicit FlatSelection(std::size_t items)
      : lines_(items), order_(items), stale_(items), is_stale_(items), is_taken_(items) {
    std::iota(order_.begin(), order_.end(), Item{0});
    forget_all();
  }

  /// The counts of this item have changed.
  void forget(Item e) {
    if (is_stale_[e] != 0) return;
    is_stale_[e] = 1;
    stale_[stale_count_++] = e;
  }

  /// Any counts may have changed, and the clock may go back.
  void forget_all() {
    stale_count_ = order_.size();
    std::iota(stale_.begin(), stale_.end(), Item{0});
    std::fill(is_stale_.begin(), is_stale_.end(), std::uint8_t{1});
  }

  /// Fills `best` with the items of the largest indices, the largest first, ties by `ties`.
  /// `taken` are left out.
  template <ClockedKlUcb I>
  void select(const I& index, std::span<const Counts> counts, std::span<const Item> taken,
              TieDraws& ties, std::span<Item> best) {
    const auto counts_of = [&](Item e) -> const Counts& { return counts[e]; };
    const auto stale = std::span(stale_).first(stale_count_);
    lines_.refresh(stale, index, counts_of, kWidth);
    for (const Item e : stale) is_stale_[e] = 0;
    stale_count_ = 0;
    for (const Item e : taken) is_taken_[e] = 1;
    const double clock = index.clock();
    const double runner_up =
        taken.empty() ? order_by_bounds(best.size(), [&](Item e) { return lines_.upper(e, clock); })
                      : order_by_bounds(best.size(), [&](Item e) {
                          return is_taken_[e] != 0 ? -1 : lines_.upper(e, clock);
                        });
    if (is_certain(runner_up)) {
      for (std::size_t n = 0; n < best.size(); ++n) best[n] = top_[n].item;
    } else {
      settle(index, counts_of, ties, best);
    }
    for (const Item e : taken) is_taken_[e] = 0;
  }

 private:
  // Indices are rarely as near to each other as this.
  static constexpr double kWidth = 1e-6;

  struct Bounded {
    double upper;
    Item item;
  };

  // The `count` largest upper bounds into top_, and the largest of the rest. Begins with what was
  // at the top last time, which mostly is again.
  template <class Upper>
  double order_by_bounds(std::size_t count, Upper upper) {
    top_.resize(count);
    for (std::size_t i = 0; i < count; ++i) insert(i, {upper(order_[i]), order_[i]});
    double threshold = top_[count - 1].upper;
    double runner_up = -2;
    for (std::size_t i = count; i < order_.size(); ++i) {
      const Item e = order_[i];
      const double here = upper(e);
      if (here <= threshold) {
        runner_up = std::max(runner_up, here);
        continue;
      }
      runner_up = std::max(runner_up, threshold);
      order_[i] = top_[count - 1].item;
      insert(count - 1, {here, e});
      threshold = top_[count - 1].upper;
    }
    for (std::size_t i = 0; i < count; ++i) order_[i] = top_[i].item;
    return runner_up;
  }

  // Into the sorted top_, whose `place` is free.
  void insert(std::size_t place, const Bounded& b) {
    for (; place > 0 && top_[place - 1].upper < b.upper; --place) top_[place] = top_[place - 1];
    top_[place] = b;
  }

  // Whether the order of top_ is that of the indices.
  bool is_certain(double runner_up) const {
    bool certain = true;
    for (std::size_t n = 0; n < top_.size(); ++n) {
      const double next = n + 1 < top_.size() ? top_[n + 1].upper : runner_up;
      certain = certain && lines_.lower(top_[n].item, top_[n].upper) > next;
    }
    return certain;
  }

  // The list from the indices of all items that can be in it.
  template <class I, class CountsOf>
  void settle(const I& index, CountsOf counts_of, TieDraws& ties, std::span<Item> best) {
    double least = 2;
    for (const Bounded& b : top_) least = std::min(least, lines_.lower(b.item, b.upper));
    candidates_.clear();
    for (Item e = 0; e < order_.size(); ++e) {
      if (is_taken_[e] == 0 && lines_.upper(e, index.clock()) >= least) candidates_.push_back(e);
    }
    lines_.find(candidates_, index, counts_of, indices_);
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
  std::vector<Item> order_;
  std::vector<Bounded> top_;
  std::vector<Item> stale_;  // the first stale_count_
  std::size_t stale_count_ = 0;
  std::vector<std::uint8_t> is_stale_;
  std::vector<std::uint8_t> is_taken_;
  std::vector<Item> candidates_;
  std::vector<double> indices_;
};

}  // namespace dcmrank
