// The tree of means against looking at every mean.
#include "dcmrank/placement/leaders.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "dcmrank/model/prior.h"

namespace dcmrank {
namespace {

// Items in the order of their means.
std::vector<Item> by_mean(const std::vector<Counts>& counts) {
  std::vector<Item> items(counts.size());
  for (Item e = 0; e < items.size(); ++e) items[e] = e;
  std::sort(items.begin(), items.end(),
            [&](Item a, Item b) { return mean(counts[a]) > mean(counts[b]); });
  return items;
}

std::vector<Item> some_items(std::size_t items, std::size_t count, Rng& rng) {
  std::vector<Item> some;
  while (some.size() < count) {
    const auto e = static_cast<Item>(rng.below(items));
    if (std::find(some.begin(), some.end(), e) == some.end()) some.push_back(e);
  }
  return some;
}

TEST(Leaders, AreTheItemsOfTheLargestMeans) {
  Rng rng(1);
  for (const std::size_t items : {2U, 8U, 9U, 60U, 500U}) {
    std::vector<Counts> counts(items);
    for (Counts& c : counts) c = {1, rng.uniform()};
    LeaderTree tree(items);
    ExplorerRoom room;
    for (std::uint64_t t = 0; t < 300; ++t) {
      const std::size_t k = 1 + rng.below(std::min<std::size_t>(items, 12));
      const auto chosen = some_items(items, k, rng);
      tree.find(t, counts, chosen, room);
      const auto sorted = by_mean(counts);
      ASSERT_EQ(room.leader_means.size(), k);
      for (std::size_t n = 0; n < k; ++n) ASSERT_EQ(room.leader_means[n], mean(counts[sorted[n]]));
      for (std::size_t n = 0; n < k; ++n) {
        ASSERT_EQ(room.chosen[n].item, chosen[n]);
        ASSERT_EQ(room.chosen[n].mean, mean(counts[chosen[n]]));
        const auto end = sorted.begin() + static_cast<std::ptrdiff_t>(k);
        ASSERT_EQ(room.chosen[n].leads, std::find(sorted.begin(), end, chosen[n]) != end);
      }
      const auto e = static_cast<Item>(rng.below(items));
      counts[e] = {1, rng.uniform()};
      tree.changed(e, counts[e]);
      if (t % 50 == 0) {
        counts[0] = {1, rng.uniform()};
        tree.start_over();
      }
    }
  }
}

// Means of a few values only.
TEST(Leaders, HaveTheirMeansWhereManyTie) {
  Rng rng(2);
  std::vector<Counts> counts(300);
  LeaderTree tree(counts.size());
  ExplorerRoom room;
  for (std::uint64_t t = 0; t < 2000; ++t) {
    const auto e = static_cast<Item>(rng.below(counts.size()));
    counts[e] = {4, static_cast<double>(rng.below(t < 1000 ? 2 : 5))};
    tree.changed(e, counts[e]);
    const auto chosen = some_items(counts.size(), 10, rng);
    tree.find(t, counts, chosen, room);
    const auto sorted = by_mean(counts);
    for (std::size_t n = 0; n < 10; ++n) ASSERT_EQ(room.leader_means[n], mean(counts[sorted[n]]));
    for (const Chosen& c : room.chosen) {
      if (c.mean == room.leader_means.back()) continue;
      ASSERT_EQ(c.leads, c.mean > room.leader_means.back());
    }
  }
}

// Two lead for certain; which three of the seven that tie for the other places lead is drawn alike
// by the linear way, whatever was chosen: the placed lists have the same distribution.
TEST(Leaders, ThatTieAreDrawnAsByLookingAtEveryMean) {
  std::vector<Counts> counts{{10, 9}, {10, 8}};
  counts.resize(9, {10, 5});
  counts.resize(12, {10, 1});
  const std::vector<Item> best{2, 0, 11, 5, 3};
  const PositionBelief positions{{.9, .7, .5, .3, .1}, {0, 1, 2, 3, 4}};
  LeaderTree tree(counts.size());
  ExplorerRoom room;
  std::vector<Item> list;
  constexpr int kRounds = 40000;
  std::vector<double> by_tree(8);
  std::vector<double> linear(8);
  const auto leading = [&] {
    return static_cast<std::size_t>((room.chosen[0].leads ? 1 : 0) +
                                    (room.chosen[3].leads ? 2 : 0) +
                                    (room.chosen[4].leads ? 4 : 0));
  };
  for (std::uint64_t t = 0; t < kRounds; ++t) {
    tree.find(subkey(1, t), counts, best, room);
    ASSERT_TRUE(room.chosen[1].leads && !room.chosen[2].leads);
    by_tree[leading()] += 1. / kRounds;
    std::vector<Scored> scored;
    for (Item e = 0; e < counts.size(); ++e) scored.push_back({0, e});
    for (std::size_t n = 0; n < best.size(); ++n) {
      scored[best[n]].score = 9 - static_cast<double>(n);
    }
    place_explorers(scored, counts, positions, TieBreak(subkey(2, t)), room, list);
    linear[leading()] += 1. / kRounds;
  }
  for (std::size_t set = 0; set < 8; ++set) EXPECT_NEAR(by_tree[set], linear[set], .012) << set;
  EXPECT_NEAR(by_tree[7], 1. / 35, .004);  // 3 of 7
}

}  // namespace
}  // namespace dcmrank
