#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "dcmrank/index/kl_ucb.h"
#include "dcmrank/select/item_classes.h"
#include "dcmrank/select/kinetic_tournament.h"
#include "dcmrank/select/kl_ucb_lines.h"
#include "dcmrank/select/tie_draws.h"

namespace dcmrank {

/// The best items by a KL-UCB index where items are many. Items of equal counts are one class with
/// one line that bounds its index; a kinetic tournament knows the highest lines. A round costs
/// O(K log C) for C classes, C at most the number of items. One thread at a time.
class KineticSelection {
 public:
  explicit KineticSelection(std::size_t items) : classes_(items), lines_(0) {}

  /// The counts of this item have changed.
  void changed(Item e, const Counts& counts) {
    if (!is_built_) return;
    const ItemClasses::Move move = classes_.move(e, counts);
    if (move.is_new) {
      if (move.now >= lines_.size()) add_lines();
      if (move.now != move.before) lines_.begin_like(move.now, move.before);
      note(move.now);
    }
    if (move.emptied) note(move.before);
  }

  /// Any counts may have changed, and the clock may go back.
  void start_over() { is_built_ = false; }

  /// Fills `best` with the items of the largest indices, the largest first, ties by `ties`.
  /// `taken` are left out.
  template <ClockedKlUcb I>
  void select(const I& index, std::span<const Counts> counts, std::span<const Item> taken,
              TieDraws& ties, std::span<Item> best) {
    if (!is_built_) build(index, counts);
    catch_up(index);
    collect(index, taken, best.size());
    if (!order_by_bounds(best.size())) order_by_indices(index);
    fill(taken, ties, best);
  }

 private:
  using Class = ItemClasses::Class;

  struct Candidate {
    Class item_class;
    double upper;  // the index itself once ordered by indices
    double lower;
    std::size_t free;  // members that are not taken
  };

  // The line of a class as a function, for the tournament.
  struct Height {
    const KlUcbLines* lines;
    double operator()(Class c, double clock) const { return lines->upper(c, clock); }
    double slope(Class c) const { return lines->slope(c); }
  };
  Height height() const { return {&lines_}; }

  auto counts_of() const {
    return [this](Class c) -> const Counts& { return classes_.counts(c); };
  }

  void note(Class c) {
    if (is_changed_[c] != 0) return;
    is_changed_[c] = 1;
    changed_.push_back(c);
  }

  void add_lines() {
    lines_.resize(std::max<std::size_t>(64, 2 * lines_.size()));
    is_changed_.resize(lines_.size());
  }

  template <class I>
  void build(const I& index, std::span<const Counts> counts) {
    classes_.assign(counts);
    while (lines_.size() < classes_.size()) add_lines();
    std::fill(is_changed_.begin(), is_changed_.end(), std::uint8_t{0});
    changed_.clear();
    for (Class c = 0; c < classes_.size(); ++c) changed_.push_back(c);
    lines_.refresh(changed_, index, counts_of());
    changed_.clear();
    tournament_.build(classes_.size(), index.clock(), height());
    is_built_ = true;
  }

  // Classes whose index has become 1 for good join the certain class: there may be thousands, each
  // of one item with fractional counts.
  template <class I>
  void join_saturated(const I& index) {
    // By number, since more may be noted on the way.
    for (std::size_t i = 0; i < changed_.size(); ++i) {  // NOLINT(modernize-loop-convert)
      const Class c = changed_[i];
      if (classes_.members(c).size() == 0 || c == classes_.certain()) continue;
      if (!is_saturated(classes_.counts(c), index.budget(classes_.counts(c)))) continue;
      const Class to = classes_.join_certain(c);
      if (to >= lines_.size()) add_lines();
      note(to);
    }
  }

  // The lines and the tournament of the present round.
  template <class I>
  void catch_up(const I& index) {
    join_saturated(index);
    stale_.clear();
    for (const Class c : changed_) {
      is_changed_[c] = 0;
      if (classes_.members(c).size() != 0) {
        stale_.push_back(c);
      } else {
        lines_.bury(c);
      }
    }
    lines_.refresh(stale_, index, counts_of());
    if (classes_.size() > tournament_.capacity()) {
      tournament_.build(classes_.size(), index.clock(), height());
    } else {
      for (const Class c : changed_) tournament_.change(c, index.clock(), height());
      tournament_.advance(index.clock(), height());
    }
    changed_.clear();
  }

  std::size_t free_members(Class c, std::span<const Item> taken) const {
    std::size_t free = classes_.members(c).size();
    for (const Item e : taken) free -= classes_.class_of(e) == c ? 1 : 0;
    return free;
  }

  // Every class with members that can be among the best, or tie with one that is.
  template <class I>
  void collect(const I& index, std::span<const Item> taken, std::size_t count) {
    candidates_.clear();
    stale_.clear();
    tournament_.from_the_top(index.clock(), height(), [&](Class c, double upper) {
      if (upper + kRounding < least_needed(count)) return false;
      const std::size_t free = free_members(c, taken);
      if (upper >= 0 && free > 0) add_candidate(index, c, upper, free);
      return true;
    });
    for (const Class c : stale_) {
      tournament_.change(c, index.clock(), height());
      if (is_saturated(classes_.counts(c), index.budget(classes_.counts(c)))) note(c);
    }
  }

  template <class I>
  void add_candidate(const I& index, Class c, double upper, std::size_t free) {
    if (lines_.is_loose(c, upper)) {
      lines_.refresh(std::span(&c, 1), index, counts_of());
      stale_.push_back(c);
      upper = lines_.upper(c, index.clock());
    }
    const Candidate candidate{c, upper, lines_.lower(c, upper), free};
    const auto is_lower = [](const Candidate& a, const Candidate& b) { return a.lower > b.lower; };
    candidates_.insert(
        std::upper_bound(candidates_.begin(), candidates_.end(), candidate, is_lower), candidate);
  }

  // The `count` best items are not below this.
  double least_needed(std::size_t count) const {
    std::size_t found = 0;
    for (const Candidate& c : candidates_) {
      found += c.free;
      if (found >= count) return c.lower;
    }
    return -2;
  }

  // Sorts the candidates; whether their bounds alone decide the order of the first `count` items.
  bool order_by_bounds(std::size_t count) {
    std::sort(candidates_.begin(), candidates_.end(),
              [](const Candidate& a, const Candidate& b) { return a.upper > b.upper; });
    std::size_t found = 0;
    for (std::size_t i = 0; i < candidates_.size() && found < count; ++i) {
      if (i + 1 < candidates_.size() && candidates_[i].lower <= candidates_[i + 1].upper) {
        return false;
      }
      found += candidates_[i].free;
      candidates_[i].upper = -static_cast<double>(i);  // from now on: equal only if tied
    }
    return true;
  }

  template <class I>
  void order_by_indices(const I& index) {
    stale_.clear();
    for (const Candidate& c : candidates_) stale_.push_back(c.item_class);
    lines_.find(stale_, index, counts_of(), indices_);
    for (std::size_t i = 0; i < candidates_.size(); ++i) candidates_[i].upper = indices_[i];
    std::sort(candidates_.begin(), candidates_.end(),
              [](const Candidate& a, const Candidate& b) { return a.upper > b.upper; });
  }

  // The list from the ordered candidates; those with equal `upper` tie.
  void fill(std::span<const Item> taken, TieDraws& ties, std::span<Item> best) {
    std::size_t filled = 0;
    for (std::size_t i = 0; filled < best.size();) {
      std::size_t end = i + 1;
      while (end < candidates_.size() && candidates_[end].upper == candidates_[i].upper) ++end;
      const auto tied = std::span(candidates_).subspan(i, end - i);
      filled += tied.size() == 1 ? draw(tied[0], taken, ties, best.subspan(filled))
                                 : draw_from_several(tied, taken, ties, best.subspan(filled));
      i = end;
    }
  }

  // Draws from one class into the front of `places`; returns how many.
  std::size_t draw(const Candidate& from, std::span<const Item> taken, TieDraws& ties,
                   std::span<Item> places) {
    const ItemSet& members = classes_.members(from.item_class);
    gone_.clear();  // the ranks of members that are taken or drawn, in order
    for (const Item e : taken) {
      if (classes_.class_of(e) == from.item_class) gone_.push_back(members.rank(e));
    }
    std::sort(gone_.begin(), gone_.end());
    const std::size_t count = std::min(from.free, places.size());
    for (std::size_t n = 0; n < count; ++n) {
      places[n] = members.nth(draw_rank(ties, from.free - n, gone_));
    }
    return count;
  }

  // The same from classes that tie with different counts. Their members may be many: the next one,
  // drawn by its place in the order of numbers, is searched for.
  std::size_t draw_from_several(std::span<const Candidate> from, std::span<const Item> taken,
                                TieDraws& ties, std::span<Item> places) {
    const auto is_from = [&](Item e) {
      return std::any_of(from.begin(), from.end(),
                         [&](const Candidate& c) { return c.item_class == classes_.class_of(e); });
    };
    gone_items_.clear();  // in order
    std::copy_if(taken.begin(), taken.end(), std::back_inserter(gone_items_), is_from);
    std::sort(gone_items_.begin(), gone_items_.end());
    std::size_t free = 0;
    for (const Candidate& c : from) free += c.free;
    const std::size_t count = std::min(free, places.size());
    for (std::size_t n = 0; n < count; ++n) {
      places[n] = nth_of_several(from, ties.below(free - n));
      gone_items_.insert(std::upper_bound(gone_items_.begin(), gone_items_.end(), places[n]),
                         places[n]);
    }
    return count;
  }

  // The free member with n free members of smaller number.
  Item nth_of_several(std::span<const Candidate> from, std::size_t n) const {
    const auto free_up_to = [&](Item e) {
      std::size_t members = 0;
      for (const Candidate& c : from) members += classes_.members(c.item_class).rank(e + 1);
      const auto gone = std::upper_bound(gone_items_.begin(), gone_items_.end(), e);
      return members - static_cast<std::size_t>(gone - gone_items_.begin());
    };
    Item low = 0;
    auto high = static_cast<Item>(classes_.items() - 1);
    while (low < high) {
      const Item middle = low + (high - low) / 2;
      if (free_up_to(middle) > n) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  // More than the rounding error of the tournament's matches.
  static constexpr double kRounding = 1e-13;

  ItemClasses classes_;
  KlUcbLines lines_;
  KineticTournament tournament_;
  bool is_built_ = false;
  std::vector<Class> changed_;  // since the last list
  std::vector<std::uint8_t> is_changed_;
  // Scratch of select.
  std::vector<Class> stale_;
  std::vector<Candidate> candidates_;
  std::vector<double> indices_;
  std::vector<std::size_t> gone_;
  std::vector<Item> gone_items_;
};

}  // namespace dcmrank
