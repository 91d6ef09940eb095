#include "dcmrank/placement/explorers.h"

#include <algorithm>
#include <limits>

#include "dcmrank/model/prior.h"
#include "dcmrank/placement/comparison.h"

namespace dcmrank {
namespace {

// f of a list given as means by rank.
double satisfied(std::span<const double> means, const PositionBelief& positions) {
  double none = 1;
  for (std::size_t n = 0; n < means.size(); ++n) {
    none *= 1 - positions.terminations[positions.order[n]] * means[n];
  }
  return 1 - none;
}

// An explorer at rank r of the list that it is inserted into. A look below a click counts as
// `below_a_click` of one.
Look look_at_rank(std::span<const Scored> ranked, double explorer, std::size_t r, double best,
                  double below_a_click, const PositionBelief& positions) {
  double none = 1;
  double examined = 1;
  double clean = 1;
  for (std::size_t n = 0; n <= ranked.size(); ++n) {
    const double mean = n < r ? ranked[n].score : n == r ? explorer : ranked[n - 1].score;
    const std::size_t position = positions.order[n];
    const double stays = 1 - positions.terminations[position] * mean;
    none *= stays;
    if (position < positions.order[r]) {
      examined *= stays;
      clean *= 1 - mean;
    }
  }
  const double seen = clean + below_a_click * (examined - clean);
  constexpr double kLeastLoss = 1e-9;  // means that tie must not make an observation free
  return {std::max(best - (1 - none), kLeastLoss), std::max(seen, kLeastLoss)};
}

std::size_t cheapest_rank(std::span<const Scored> ranked, double explorer, double best,
                          double below_a_click, const PositionBelief& positions) {
  std::size_t cheapest = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t r = 0; r <= ranked.size(); ++r) {
    const double here = look_at_rank(ranked, explorer, r, best, below_a_click, positions).price();
    if (here < least) {
      least = here;
      cheapest = r;
    }
  }
  return cheapest;
}

}  // namespace

namespace {

// The chosen leaders, ranked by score; each explorer is then inserted by place(explorer, how many
// of `room.chosen` are before it, f of the leaders).
template <class Place>
void place_around_leaders(const PositionBelief& positions, ExplorerRoom& room,
                          std::vector<Item>& list, Place place) {
  room.ranked.clear();
  for (const Chosen& c : room.chosen) {
    if (c.leads) room.ranked.push_back({c.mean, c.item});
  }
  const double best = satisfied(room.leader_means, positions);
  for (std::size_t n = 0; n < room.chosen.size(); ++n) {
    if (!room.chosen[n].leads) place(room.chosen[n], n, best);
  }
  place_ranked(room.ranked, positions.order, list);
}

void insert(const Chosen& chosen, std::size_t rank, std::vector<Scored>& ranked) {
  ranked.insert(ranked.begin() + static_cast<std::ptrdiff_t>(rank), {chosen.mean, chosen.item});
}

}  // namespace

void place_chosen(const PositionBelief& positions, ExplorerRoom& room, std::vector<Item>& list) {
  constexpr double kBelowAClick = .3;
  place_around_leaders(positions, room, list, [&](const Chosen& c, std::size_t, double best) {
    insert(c, cheapest_rank(room.ranked, c.mean, best, kBelowAClick, positions), room.ranked);
  });
}

void place_compared(const PositionBelief& positions, double draw, ExplorerRoom& room,
                    std::vector<Item>& list) {
  std::size_t explorers = 0;
  const auto place = [&](const Chosen& c, std::size_t n, double best) {
    const std::size_t last = room.leader_means.size() - 1;
    Chosen leader{room.leader_means[last - explorers], c.item, true,
                  std::numeric_limits<double>::max()};
    if (explorers < room.displaced.size()) leader = room.displaced[explorers];
    ++explorers;
    const Chosen& less_known = leader.observed < c.observed ? leader : c;
    const std::size_t own = std::min(n, room.ranked.size());
    constexpr double kBelowAClick = 1;
    const std::size_t r =
        cheapest_rank(room.ranked, less_known.mean, best, kBelowAClick, positions);
    constexpr double kTimes = 1;
    if (moves(look_at_rank(room.ranked, less_known.mean, r, best, kBelowAClick, positions),
              look_at_rank(room.ranked, c.mean, own, best, kBelowAClick, positions).seen,
              doubt_between({c.mean, c.observed}, {leader.mean, leader.observed}), draw, kTimes)) {
      insert(less_known, r, room.ranked);
    } else {
      insert(c, own, room.ranked);
    }
  };
  place_around_leaders(positions, room, list, place);
}

void find_leaders(std::span<const Counts> counts, std::span<const Item> best, TieBreak ties,
                  ExplorerRoom& room) {
  const Better better(ties);
  room.by_mean.clear();
  for (Item e = 0; e < counts.size(); ++e) room.by_mean.push_back({mean(counts[e]), e});
  select_best(room.by_mean, best.size(), better);
  const std::span<const Scored> leaders = std::span(room.by_mean).first(best.size());

  room.leader_means.clear();
  for (const Scored& leader : leaders) room.leader_means.push_back(leader.score);
  room.chosen.clear();
  for (const Item e : best) {
    const Scored known{mean(counts[e]), e};
    room.chosen.push_back(
        {known.score, known.item, !better(leaders.back(), known), counts[e].observed});
  }
  room.displaced.clear();
  for (std::size_t n = leaders.size(); n-- > 0;) {
    const Scored& leader = leaders[n];
    if (std::find(best.begin(), best.end(), leader.item) != best.end()) continue;
    room.displaced.push_back({leader.score, leader.item, true, counts[leader.item].observed});
  }
}

void place_explorers(std::span<Scored> scored, std::span<const Counts> counts,
                     const PositionBelief& positions, TieBreak ties, ExplorerRoom& room,
                     std::vector<Item>& list) {
  const std::size_t k = positions.order.size();
  select_best(scored, k, Better(ties));
  room.best.clear();
  for (const Scored& s : scored.first(k)) room.best.push_back(s.item);
  find_leaders(counts, room.best, ties, room);
  place_chosen(positions, room, list);
}

}  // namespace dcmrank
