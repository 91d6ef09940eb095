// Where explorers stand. A list has leaders (the best K by the mean of what was observed) and, in
// some rounds, explorers: items whose score brought them into the list without being leaders. An
// explorer is there to be observed, and an observation has a price that differs by place.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dcmrank/model/counts.h"
#include "dcmrank/placement/placement.h"
#include "dcmrank/placement/positions.h"

namespace dcmrank {

/// An item whose score brought it into the list.
struct Chosen {
  double mean;
  Item item;
  bool leads;
  double observed;
};

/// Scratch memory for placing; kept by the caller so that a round allocates nothing.
struct ExplorerRoom {
  std::vector<Chosen> chosen;        // the largest score first
  std::vector<double> leader_means;  // of all leaders, chosen or not, the largest first
  std::vector<Chosen> displaced;     // leaders that are not chosen, the least mean first, if known
  std::vector<Scored> by_mean;
  std::vector<Item> best;
  std::vector<Scored> ranked;  // the list as it grows, best place first; scores are means
};

/// Places the K items of `room.chosen`. Without an explorer among them they are placed as the paper
/// places: the n-th largest score at the n-th most terminating position. Otherwise the chosen
/// leaders are ranked by score, and each explorer, the largest score first, is inserted where
///     (f(leaders) - f(list with it)) / (P(clean) + .3 P(examined, but not clean))
/// is least, "clean" meaning that nothing above is clicked, so that the item is examined for sure;
/// f and P by the means and the terminations of `positions`. Below a click, only the believed
/// terminations tell an unattractive item from a user who left, so an observation is worth less:
/// the .3 was measured (docs/policies.md). The n-th of the result goes to the n-th most terminating
/// position. O(E K^2) for E explorers.
void place_chosen(const PositionBelief& positions, ExplorerRoom& room, std::vector<Item>& list);

/// The same, but an explorer keeps the place that its score has unless its comparison with a leader
/// that it displaces moves elsewhere (comparison.h), by `draw`. Then the one of the two of which
/// less was observed stands there: the leader mostly where it always does, which costs nothing.
/// Where `room` does not know who is displaced, it is the explorer. A look below a click counts as
/// a whole one: where users go on after clicks, the last place is looked at often, and a move up
/// costs more than it teaches.
void place_compared(const PositionBelief& positions, double draw, ExplorerRoom& room,
                    std::vector<Item>& list);

/// Fills `room` with the items of `best`, the largest score first, for place_chosen: the leaders
/// are equally many, by the means of `counts`, ties by `ties`. O(L); leaders.h: O(K log L).
void find_leaders(std::span<const Counts> counts, std::span<const Item> best, TieBreak ties,
                  ExplorerRoom& room);

/// Chooses the K largest scores, finds the leaders, and places. Reorders `scored`, which holds
/// every item of `counts` once.
void place_explorers(std::span<Scored> scored, std::span<const Counts> counts,
                     const PositionBelief& positions, TieBreak ties, ExplorerRoom& room,
                     std::vector<Item>& list);

}  // namespace dcmrank
