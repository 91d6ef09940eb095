#include "dcmrank/policy/lazy_placement.h"

#include <gtest/gtest.h>

#include "dcmrank/index/kl_ucb.h"
#include "dcmrank/index/kl_ucb_bounds.h"
#include "dcmrank/policy/kl_ucb_bandit.h"

namespace dcmrank {
namespace {

// Few distinct scores, so that ties are common; bounds anywhere above them.
TEST(LazyPlacement, GivesTheListOfThePlainOne) {
  Rng rng(1);
  for (int round = 0; round < 20000; ++round) {
    const std::size_t items = 2 + rng.below(20);
    const PositionOrder order = top_down(1 + rng.below(items));
    std::vector<Scored> scored(items);
    std::vector<double> slack(items);
    for (Item e = 0; e < items; ++e) {
      scored[e] = {0.1 * static_cast<double>(rng.below(4)), e};
      slack[e] = rng.below(5) == 0 ? 2.0 : 0.1 * static_cast<double>(rng.below(3));
    }
    const auto scores = scored;
    const TieBreak ties(rng());
    std::vector<Item> expected;
    place(scored, order, ties, expected);
    std::vector<Item> list;
    LazyPlacement(items).place([&](Item e) { return scores[e].score + slack[e]; },
                               [&](Item e) { return scores[e].score; }, order, ties, list);
    ASSERT_EQ(list, expected);
  }
}

// Where all items tie, their bounds tell nothing; the work must stay near that of scoring them all.
TEST(LazyPlacement, DoesNotStallWhereManyItemsTie) {
  constexpr std::size_t kItems = 20000;
  std::size_t scored = 0;
  const auto score = [&](Item) {
    ++scored;
    return 0.5;
  };
  std::vector<Item> list;
  LazyPlacement(kItems).place([](Item) { return 0.6; }, score, top_down(3), TieBreak(1), list);
  EXPECT_EQ(list.size(), 3U);
  EXPECT_LE(scored, kItems);
}

TEST(KlUcbBounds, BoundTheIndexAtAllLaterBudgetsAndTightly) {
  Rng rng(2);
  KlUcbBounds bounds(1);
  for (int i = 0; i < 3000; ++i) {
    const double observed = 1 + static_cast<double>(rng.below(1000));
    const Counts counts{observed, static_cast<double>(rng.below(1 + std::uint64_t(observed)))};
    const double start = 20 * rng.uniform();
    bounds.keep(0, counts, kl_ucb(counts, start), start);
    for (const double more : {0.0, 1e-3, 0.1, 1.0, 10.0}) {
      ASSERT_GE(bounds(0, start + more), kl_ucb(counts, start + more));
    }
    if (kl_ucb(counts, start) < 0.99) {
      EXPECT_NEAR(bounds(0, start + 1e-4), kl_ucb(counts, start + 1e-4), 1e-4);
    }
  }
}

TEST(KlUcbBounds, AreOneOrMoreWhereNothingIsKept) {
  KlUcbBounds bounds(2);
  EXPECT_GE(bounds(1, 5), 1);
  bounds.keep(1, {10, 3}, kl_ucb({10, 3}, 2), 2);
  EXPECT_LT(bounds(1, 2), 1);
  bounds.forget(1);
  EXPECT_GE(bounds(1, 5), 1);
}

// The bandit of one position against all indices computed every round.
TEST(KlUcbBandit, ChoosesTheItemOfTheLargestIndex) {
  const Shape shape{12, 2, 1000};
  KlUcbBandit bandit(shape);
  std::vector<Counts> counts(shape.items);
  Rng rng(3);
  for (std::uint64_t round = 1; round <= 3000; ++round) {
    const std::vector<Item> taken{static_cast<Item>(rng.below(shape.items))};
    Rng copy = rng;
    const Better better{TieBreak(copy())};
    Scored best{-1, 0};
    for (Item e = 0; e < shape.items; ++e) {
      const Scored candidate{kl_ucb(counts[e], paper_budget(round)), e};
      if (e != taken[0] && better(candidate, best)) best = candidate;
    }
    const Item chosen = bandit.choose(round, taken, rng);
    ASSERT_EQ(chosen, best.item) << round;
    const bool click = rng.uniform() < 0.05 * chosen;
    bandit.learn(chosen, click, taken);
    counts[chosen].add(click);
  }
}

}  // namespace
}  // namespace dcmrank
