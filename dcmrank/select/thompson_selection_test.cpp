// Lists found without drawing every item against those of drawing every item: the same
// distribution.
#include "dcmrank/select/thompson_selection.h"

#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dcmrank/base/error.h"

namespace dcmrank {
namespace {

using List = std::vector<Item>;
using Ranker = std::function<List(std::uint64_t key)>;
using Frequencies = std::map<List, double>;

constexpr int kLists = 60000;

// The obvious way.
template <class I>
Ranker plain(const std::vector<Counts>& counts, std::size_t positions) {
  return [&counts, positions, index = I()](std::uint64_t key) mutable {
    std::vector<Scored> scored;
    index.begin_round(1, subkey(key, 0));
    BetaBatch batch;
    index.for_all(counts, batch, [&](Item e, double score) { scored.push_back({score, e}); });
    select_best(scored, positions, Better(TieBreak(subkey(key, 1))));
    List list;
    for (std::size_t n = 0; n < positions; ++n) list.push_back(scored[n].item);
    return list;
  };
}

// A selection that keeps this threshold.
ThompsonSelection with_threshold(double threshold, std::size_t items, std::size_t positions,
                                 bool optimistic) {
  ThompsonSelection selection(items, positions, optimistic);
  selection.restore({threshold, 0, 1e9});
  return selection;
}

Ranker by(ThompsonSelection selection, const std::vector<Counts>& counts, std::size_t positions) {
  return [&counts, positions, s = std::move(selection)](std::uint64_t key) mutable {
    List list(positions);
    s.select(key, counts, list);
    return list;
  };
}

Frequencies frequencies(Ranker rank, std::uint64_t seed, int lists = kLists) {
  Frequencies found;
  for (int i = 0; i < lists; ++i) ++found[rank(subkey(seed, static_cast<std::uint64_t>(i)))];
  return found;
}

// The chi-square statistic of two samples of one distribution; rare lists count together. Above
// this with a probability of about 1e-4, by the normal approximation.
void expect_alike(const Frequencies& a, const Frequencies& b) {
  std::map<List, std::array<double, 2>> cells;
  for (const auto& [list, times] : a) cells[list][0] = times;
  for (const auto& [list, times] : b) cells[list][1] = times;
  std::array<double, 2> rare{};
  double statistic = 0;
  double freedom = 0;
  const auto add = [&](const std::array<double, 2>& cell) {
    if (cell[0] + cell[1] == 0) return;
    statistic += (cell[0] - cell[1]) * (cell[0] - cell[1]) / (cell[0] + cell[1]);
    ++freedom;
  };
  for (const auto& [list, cell] : cells) {
    if (cell[0] + cell[1] >= 20) {
      add(cell);
    } else {
      rare = {rare[0] + cell[0], rare[1] + cell[1]};
    }
  }
  add(rare);
  EXPECT_LT(statistic, freedom + 4 * std::sqrt(2 * freedom)) << freedom;
}

struct Case {
  std::string name;
  std::vector<Counts> counts;
  std::size_t positions;
};

std::vector<Case> cases() {
  std::vector<Case> all{
      {"AllEqual", std::vector<Counts>(9, {1, 0}), 2},
      {"NeverObserved", std::vector<Counts>(9), 2},
      {"FractionalCounts", {{2.7, .3}, {1.2, 1}, {.25, 0}, {7.5, 2.125}, {30.5, 11.5}, {3, 1}}, 3},
      {"ManyObservations", {{9000, 1800}, {9000, 1790}, {9000, 1700}, {2000, 400}, {50, 8}}, 2},
      {"AlwaysAttracted", {{1, 1}, {3, 3}, {1, 1}, {2, 1}, {20, 16}, {5, 0}}, 2},
      {"EqualMeans", {{2, 1}, {2, 1}, {4, 2}, {2, 1}, {20, 10}, {9, 4}, {3, 3}}, 3}};
  Case leaders{"LeadersAndManyRare", {{200, 100}, {200, 90}, {200, 90}}, 3};
  leaders.counts.resize(40, {20, 4});
  all.push_back(leaders);
  return all;
}

class ThompsonLists : public testing::TestWithParam<Case> {};

// From thresholds that every round exceeds often enough to those that hardly one does.
TEST_P(ThompsonLists, AreThoseOfDrawingAll) {
  const auto& [name, counts, positions] = GetParam();
  const auto expected = frequencies(plain<ThompsonIndex>(counts, positions), 1);
  for (const double threshold : {.1, .19, .208, .35, .5, .65, .8, .97}) {
    const auto selection = with_threshold(threshold, counts.size(), positions, false);
    SCOPED_TRACE(threshold);
    expect_alike(frequencies(by(selection, counts, positions), 2), expected);
  }
}

TEST_P(ThompsonLists, AreThoseOfDrawingAllOptimistically) {
  const auto& [name, counts, positions] = GetParam();
  const auto expected = frequencies(plain<OptimisticThompsonIndex>(counts, positions), 3);
  for (const double threshold : {.1, .19, .208, .35, .5, .65, .8, .97}) {
    const auto selection = with_threshold(threshold, counts.size(), positions, true);
    SCOPED_TRACE(threshold);
    expect_alike(frequencies(by(selection, counts, positions), 4), expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, ThompsonLists, testing::ValuesIn(cases()),
                         [](const auto& test) { return test.param.name; });

// 600 items, of which a few are good; lists of 2.
std::vector<Counts> many_items() {
  std::vector<Counts> counts;
  for (Item e = 0; e < 600; ++e) {
    const double observed = 1 + static_cast<double>(subkey(5, e) % 30);
    counts.push_back({observed, std::floor(.2 * observed)});
  }
  for (Item e = 0; e < 4; ++e) counts[e * 100] = {60, 36 + static_cast<double>(e)};
  return counts;
}

TEST(ThompsonSelection, ChoosesAThresholdThatDoesNotShow) {
  const auto counts = many_items();
  const auto leaders_only = [](const Ranker& rank) {
    return [rank](std::uint64_t key) {
      List list = rank(key);
      for (Item& e : list) e = e % 100 == 0 && e < 400 ? e : 999;
      return list;
    };
  };
  const auto expected = frequencies(leaders_only(plain<ThompsonIndex>(counts, 2)), 1, 10000);
  const ThompsonSelection selection(counts.size(), 2, false);
  expect_alike(frequencies(leaders_only(by(selection, counts, 2)), 2, 10000), expected);
}

// What was settled is a function of what was learned, whenever lists are asked for.
TEST(ThompsonSelection, DoesNotDependOnListsAskedForInBetween) {
  auto counts = many_items();
  ThompsonSelection often(counts.size(), 3, true);
  ThompsonSelection seldom(counts.size(), 3, true);
  List a(3);
  List b(3);
  for (std::uint64_t t = 0; t < 3000; ++t) {
    often.select(subkey(1, t), counts, a);
    if (t % 40 == 39) {
      seldom.select(subkey(1, t), counts, b);
      ASSERT_EQ(a, b) << t;
    }
    often.settle(counts);
    seldom.settle(counts);
    for (const Item e : a) {
      counts[e].add(subkey(t, e) % 5 == 0);
      often.changed(e, counts[e]);
      seldom.changed(e, counts[e]);
    }
  }
}

TEST(ThompsonSelection, FindsTheSameListsAfterBeingSavedAndLoaded) {
  auto counts = many_items();
  ThompsonSelection whole(counts.size(), 3, false);
  List list(3);
  List again(3);
  for (std::uint64_t t = 0; t < 2000; ++t) {
    whole.select(subkey(1, t), counts, list);
    if (t % 100 == 99) {
      ThompsonSelection loaded(counts.size(), 3, false);
      if (const auto settled = whole.settled()) loaded.restore(*settled);
      loaded.select(subkey(1, t), counts, again);
      ASSERT_EQ(again, list) << t;
      whole = loaded;
    }
    whole.settle(counts);
    for (const Item e : list) {
      counts[e].observed += .5 + to_unit(subkey(t, e)) - (t % 7 == 0 ? .6 : 0);
      whole.changed(e, counts[e]);
    }
  }
}

TEST(ThompsonSelection, RefusesAThresholdThatIsNone) {
  ThompsonSelection selection(300, 2, false);
  for (const double threshold : {0., 1., 2.}) {
    EXPECT_THROW(selection.restore({threshold, 1, 2}), InputError);
  }
}

// Chances that are known: x is above t with probability 1 - t, 1 - t^2 and (1 - t)^2.
TEST(TailItems, AreFoundAsOftenAsTheirDistributionsSay) {
  constexpr double kThreshold = .92;
  const std::vector<Counts> counts{{0, 0}, {1, 1}, {1, 0}, {0, 0}};
  const std::vector<double> chances{.08, 1 - .92 * .92, .08 * .08, .08};
  TailItems items(counts.size(), false);
  items.build(kThreshold, counts);
  constexpr int kRounds = 200000;
  std::vector<double> found(counts.size());
  double together = 0;  // the first and the last, which are independent
  for (std::uint64_t t = 0; t < kRounds; ++t) {
    int both = 0;
    items.draw_rare(subkey(3, t), counts, [&](Item e, double draw) {
      ASSERT_GT(draw, kThreshold);
      found[e] += 1. / kRounds;
      both += e % 3 == 0 ? 1 : 0;
    });
    together += both == 2 ? 1. / kRounds : 0;
  }
  for (Item e = 0; e < counts.size(); ++e) {
    if (items.is_frequent(e)) continue;
    EXPECT_NEAR(found[e], chances[e], 4 * std::sqrt(chances[e] / kRounds)) << e;
  }
  EXPECT_NEAR(together, .08 * .08, 4 * .08 / std::sqrt(kRounds));
  EXPECT_FALSE(items.is_frequent(0));
}

TEST(TailItems, AreExpectedAlikeAfterChangesAndWhenBuiltAnew) {
  auto counts = many_items();
  TailItems changed(counts.size(), true);
  changed.build(.5, counts);
  for (std::uint64_t t = 0; t < 5000; ++t) {
    const auto e = static_cast<Item>(subkey(9, t) % counts.size());
    counts[e].add(subkey(8, t) % 3 == 0);
    changed.change(e, counts[e]);
  }
  TailItems anew(counts.size(), true);
  anew.build(.5, counts);
  EXPECT_EQ(changed.expected(), anew.expected());
  EXPECT_EQ(changed.always(), anew.always());
  EXPECT_EQ(changed.frequent().size(), anew.frequent().size());
  for (Item e = 0; e < counts.size(); ++e) ASSERT_EQ(changed.is_frequent(e), anew.is_frequent(e));
}

}  // namespace
}  // namespace dcmrank
