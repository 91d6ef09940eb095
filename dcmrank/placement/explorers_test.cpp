#include "dcmrank/placement/explorers.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "dcmrank/model/dcm.h"
#include "dcmrank/placement/comparison.h"

namespace dcmrank {
namespace {

// A round with random scores and counts.
struct Round {
  std::vector<Scored> scored;
  std::vector<Counts> counts;
  PositionBelief positions;

  Round(std::size_t items, std::size_t places, Rng& rng) {
    for (Item e = 0; e < items; ++e) {
      scored.push_back({rng.uniform(), e});
      const double observed = 1 + static_cast<double>(rng.below(20));
      counts.push_back({observed, static_cast<double>(rng.below(20)) / 20 * observed});
    }
    for (std::size_t k = 0; k < places; ++k) positions.terminations.push_back(rng.uniform());
    positions.order = decreasing_order(positions.terminations);
  }
};

std::vector<Item> placed(Round round, std::uint64_t key) {
  ExplorerRoom room;
  std::vector<Item> list;
  place_explorers(round.scored, round.counts, round.positions, TieBreak(key), room, list);
  return list;
}

double mean_of(const Round& round, Item e) {
  return round.counts[e].attracted / round.counts[e].observed;
}

// f and the probability of being examined, written out over whole lists of possibly empty places.
constexpr Item kEmpty = 1000;
double chance_to_stay(const Round& round, const std::vector<Item>& list, std::size_t positions) {
  double stay = 1;
  for (std::size_t k = 0; k < positions; ++k) {
    if (list[k] != kEmpty) stay *= 1 - round.positions.terminations[k] * mean_of(round, list[k]);
  }
  return stay;
}

double chance_of_no_click(const Round& round, const std::vector<Item>& list,
                          std::size_t positions) {
  double none = 1;
  for (std::size_t k = 0; k < positions; ++k) {
    if (list[k] != kEmpty) none *= 1 - mean_of(round, list[k]);
  }
  return none;
}

std::vector<Item> as_list(const Round& round, const std::vector<Item>& ranked) {
  std::vector<Item> list(round.positions.order.size(), kEmpty);
  for (std::size_t n = 0; n < ranked.size(); ++n) list[round.positions.order[n]] = ranked[n];
  return list;
}

// The slow, obvious version: every rank is tried on a whole list.
std::vector<Item> oracle(Round round, std::uint64_t key) {
  const std::size_t k = round.positions.order.size();
  const Better better{TieBreak(key)};
  std::vector<Scored> by_mean;
  for (const Scored& s : round.scored) by_mean.push_back({mean_of(round, s.item), s.item});
  std::sort(round.scored.begin(), round.scored.end(), better);
  std::sort(by_mean.begin(), by_mean.end(), better);
  std::vector<Item> leaders;
  for (std::size_t n = 0; n < k; ++n) leaders.push_back(by_mean[n].item);
  const double best = 1 - chance_to_stay(round, as_list(round, leaders), k);

  std::vector<Item> ranked;
  std::vector<Item> explorers;
  for (std::size_t n = 0; n < k; ++n) {
    const Item e = round.scored[n].item;
    const bool leads = std::find(leaders.begin(), leaders.end(), e) != leaders.end();
    (leads ? ranked : explorers).push_back(e);
  }
  for (const Item e : explorers) {
    std::vector<Item> cheapest;
    double least = 1e300;
    for (std::size_t r = 0; r <= ranked.size(); ++r) {
      std::vector<Item> tried = ranked;
      tried.insert(tried.begin() + static_cast<std::ptrdiff_t>(r), e);
      const auto list = as_list(round, tried);
      const double loss = std::max(1e-9, best - (1 - chance_to_stay(round, list, k)));
      const double examined = chance_to_stay(round, list, round.positions.order[r]);
      const double clean = chance_of_no_click(round, list, round.positions.order[r]);
      const double seen = .7 * clean + .3 * examined;
      if (loss / seen < least * (1 - 1e-12)) {
        least = loss / seen;
        cheapest = tried;
      }
    }
    ranked = cheapest;
  }
  return as_list(round, ranked);
}

TEST(Explorers, StandWhereTheObviousSearchPutsThem) {
  Rng rng(1);
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const std::size_t items = 2 + rng.below(12);
    const Round round(items, 1 + rng.below(std::min<std::size_t>(items, 6)), rng);
    ASSERT_EQ(placed(round, i), oracle(round, i)) << i;
  }
}

TEST(Explorers, ThatAreNoneLeaveThePapersPlacement) {
  Rng rng(2);
  for (std::uint64_t i = 0; i < 200; ++i) {
    Round round(6, 6, rng);  // K = L: every item leads
    std::vector<Item> paper;
    const auto list = placed(round, i);
    place(round.scored, round.positions.order, TieBreak(i), paper);
    ASSERT_EQ(list, paper);
  }
}

// Two leaders of .9 that end nearly every visit: below them an explorer is hardly examined, and at
// the top it costs little where the positions are alike.
TEST(Explorers, GoToTheTopWherePositionsAreAlike) {
  Rng rng(3);
  Round round(3, 2, rng);
  round.counts = {{100, 90}, {100, 80}, {1, 0}};
  round.scored = {{.9, 0}, {.8, 1}, {.85, 2}};
  round.positions = {{.9, .899}, {0, 1}};
  EXPECT_EQ(placed(round, 1), (std::vector<Item>{2, 0}));
}

// Where the first position decides nearly everything, an explorer stands below.
TEST(Explorers, StayBelowWhereTheTopIsDear) {
  Rng rng(4);
  Round round(3, 2, rng);
  round.counts = {{100, 30}, {100, 20}, {1, 0}};
  round.scored = {{.3, 0}, {.2, 1}, {.9, 2}};
  round.positions = {{.9, .01}, {0, 1}};
  EXPECT_EQ(placed(round, 1), (std::vector<Item>{0, 2}));
}

// Three leaders, the third of them displaced by item 3; at positions that are alike, of which the
// last is hardly ever reached.
std::vector<Item> compared(const Counts& leader, const Counts& explorer, double draw) {
  const std::vector<Counts> counts{{1000, 900}, {1000, 890}, leader, explorer};
  const std::vector<Item> best{0, 1, 3};
  const PositionBelief positions{{.9, .899, .898}, {0, 1, 2}};
  ExplorerRoom room;
  find_leaders(counts, best, TieBreak(1), room);
  std::vector<Item> list;
  place_compared(positions, draw, room, list);
  return list;
}

TEST(Comparisons, LookAtAnUnknownExplorerWhereItIsCheap) {
  EXPECT_EQ(compared({5000, 4000}, {50, 39}, .1), (std::vector<Item>{3, 0, 1}));
}

// Where the leader is the less known, nothing is cheaper than to leave it where it stands.
TEST(Comparisons, LookAtTheLeaderWhereTheExplorerIsKnown) {
  EXPECT_EQ(compared({50, 40}, {5000, 3950}, .1), (std::vector<Item>{0, 1, 2}));
}

TEST(Comparisons, CostNoMoreThanWhatIsInDoubt) {
  const Look look{.01, 1};
  EXPECT_TRUE(moves(look, .01, .1, .09, 1));  // .1 of the pages, each costs .01
  EXPECT_FALSE(moves(look, .01, .1, .11, 1));
  EXPECT_TRUE(moves(look, .01, .1, .11, 4));
  EXPECT_FALSE(moves(look, 1, .019, .001, 1));  // a look costs more than half of the doubt
}

// After a click three users of four go on, so the last place is looked at on every second page: to
// look at the top is no cheaper. (It would be if a look below a click counted as .3 of one.)
TEST(Comparisons, StayWhereUsersGoOnAfterClicks) {
  const std::vector<Counts> counts{{1000, 900}, {1000, 890}, {5000, 4000}, {50, 39}};
  const std::vector<Item> best{0, 1, 3};
  const PositionBelief positions{{.3, .28, .2}, {0, 1, 2}};
  ExplorerRoom room;
  find_leaders(counts, best, TieBreak(1), room);
  std::vector<Item> list;
  place_compared(positions, .001, room, list);
  EXPECT_EQ(list, (std::vector<Item>{0, 1, 3}));
}

TEST(Comparisons, StayWhereTheTopIsDear) {
  const std::vector<Counts> counts{{1000, 300}, {1000, 200}, {10, 1}};
  const std::vector<Item> best{0, 2};
  const PositionBelief positions{{.9, .01}, {0, 1}};
  ExplorerRoom room;
  find_leaders(counts, best, TieBreak(1), room);
  std::vector<Item> list;
  place_compared(positions, 1e-6, room, list);
  EXPECT_EQ(list, (std::vector<Item>{0, 2}));
}

// Of many items it is not known who is displaced: the explorer is looked at.
TEST(Comparisons, AreMadeWithoutTheNameOfTheLeader) {
  ExplorerRoom room;
  room.chosen = {{.9, 0, true, 1000}, {.89, 1, true, 1000}, {.78, 3, false, 5000}};
  room.leader_means = {.9, .89, .8};
  std::vector<Item> list;
  place_compared({{.9, .899, .898}, {0, 1, 2}}, .001, room, list);
  EXPECT_EQ(list, (std::vector<Item>{3, 0, 1}));
}

}  // namespace
}  // namespace dcmrank
