#include "dcmrank/placement/explorers.h"

#include <algorithm>
#include <limits>

#include "dcmrank/model/prior.h"

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

// The price of an observation of `explorer` at rank r of the list that it is inserted into.
double price(std::span<const Scored> ranked, double explorer, std::size_t r, double best,
             const PositionBelief& positions) {
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
  constexpr double kBelowAClick = .3;
  const double seen = clean + kBelowAClick * (examined - clean);
  constexpr double kLeastLoss = 1e-9;  // means that tie must not make an observation free
  return std::max(best - (1 - none), kLeastLoss) / std::max(seen, kLeastLoss);
}

std::size_t cheapest_rank(std::span<const Scored> ranked, double explorer, double best,
                          const PositionBelief& positions) {
  std::size_t cheapest = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t r = 0; r <= ranked.size(); ++r) {
    const double here = price(ranked, explorer, r, best, positions);
    if (here < least) {
      least = here;
      cheapest = r;
    }
  }
  return cheapest;
}

}  // namespace

void place_chosen(const PositionBelief& positions, double least, ExplorerRoom& room,
                  std::vector<Item>& list) {
  room.ranked.clear();
  for (const Chosen& c : room.chosen) {
    if (c.leads) room.ranked.push_back({c.mean, c.item});
  }
  const double best = satisfied(room.leader_means, positions);
  std::size_t by_score = 0;
  for (const Chosen& c : room.chosen) {
    ++by_score;
    if (c.leads) continue;
    std::size_t r = cheapest_rank(room.ranked, c.mean, best, positions);
    const std::size_t own = std::min(by_score - 1, room.ranked.size());
    if (least < 1 && price(room.ranked, c.mean, r, best, positions) >=
                         least * price(room.ranked, c.mean, own, best, positions)) {
      r = own;
    }
    room.ranked.insert(room.ranked.begin() + static_cast<std::ptrdiff_t>(r), {c.mean, c.item});
  }
  place_ranked(room.ranked, positions.order, list);
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
    room.chosen.push_back({known.score, known.item, !better(leaders.back(), known)});
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
  place_chosen(positions, 1, room, list);
}

}  // namespace dcmrank
