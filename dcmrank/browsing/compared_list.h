// Where the explorers of a browsing model stand: mostly where their draws put them, but one that is
// alone is compared with its leader higher up (comparison.h).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dcmrank/browsing/fit.h"
#include "dcmrank/placement/comparison.h"
#include "dcmrank/placement/placement.h"
#include "dcmrank/select/scored.h"

namespace dcmrank {

/// What users do with a list: how many clicks there are, and how likely there is one at all.
struct ListWorth {
  double clicks;
  double any;
};

/// What a browsing model expects of a list.
class ListForecast {
 public:
  /// Of a list of attractions, of which the n-th stands at order[n]. O(K^2).
  ListWorth worth(std::span<const double> attractions, std::span<const double> examination,
                  const PositionOrder& order);

  /// How often a position is looked at in that list, in units of a look at the first.
  double looked(std::size_t position) const { return looked_[position]; }

 private:
  std::vector<double> attraction_;  // by position
  std::vector<double> last_;        // P(the last click is there), then that there is none
  std::vector<double> looked_;      // by position
};

/// Places the items that were drawn. Holds only room, so that a round allocates nothing.
class ComparedList {
 public:
  /// `drawn`: the K best draws, the best first. Leaders are the K best by what is thought of them,
  /// ties by `ties`. A comparison moves only where users look more than twice as often, and only if
  /// its explorer is the only one: lists with several come while many items are hardly known, and
  /// to look at all of these higher up may never end. What a list loses are clicks, or visits with
  /// a click if these are more: which of them counts is not known, and neither tells whether a
  /// click satisfied. By `draw`, a number between 0 and 1. O(L + K^3).
  void place(std::span<const Scored> drawn, const BrowsingFit& fit, const PositionOrder& order,
             TieBreak ties, double draw, std::vector<Item>& list);

 private:
  void find_leaders(const BrowsingFit& fit, std::size_t count, const Better& better);
  void rank_chosen_leaders(std::span<const Scored> drawn);
  bool leads(Item e, std::size_t count) const;
  void rank_explorer(Scored explorer, std::size_t own, double draw, const BrowsingFit& fit,
                     const PositionOrder& order);
  Look look_at_rank(Scored item, std::size_t rank, const BrowsingFit& fit,
                    const PositionOrder& order);
  ListWorth worth(const BrowsingFit& fit, const PositionOrder& order) {
    return forecast_.worth(means_, fit.examination, order);
  }

  std::vector<Scored> thought_;    // of every item; the leaders in front
  std::vector<Scored> ranked_;     // the list as it grows
  std::vector<Scored> displaced_;  // leaders that are not drawn
  ListWorth best_{};               // of the leaders
  std::vector<double> means_;
  ListForecast forecast_;
};

}  // namespace dcmrank
