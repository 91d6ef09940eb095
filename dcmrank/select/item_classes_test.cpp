#include "dcmrank/select/item_classes.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "dcmrank/base/effort_test.h"
#include "dcmrank/random/rng.h"
#include "dcmrank/select/kinetic_tournament.h"

namespace dcmrank {
namespace {

// Grows beyond the sorted array and shrinks back, several times.
TEST(ItemSet, FindsItsMembersByRankAsASortedSetDoes) {
  constexpr std::size_t kItems = 5000;
  Rng rng(1);
  ItemSet set;
  std::set<Item> expected;
  for (int n = 0; n < effort(20000, 2000); ++n) {
    const bool growing = n / 4000 % 2 == 0;
    const auto e = static_cast<Item>(rng.below(kItems));
    if (expected.contains(e) && !(growing && rng.below(4) != 0)) {
      set.erase(e);
      expected.erase(e);
    } else if (!expected.contains(e) && (growing || rng.below(4) == 0)) {
      set.insert(e, kItems);
      expected.insert(e);
    }
    ASSERT_EQ(set.size(), expected.size());
    if (n % 50 != 0) continue;
    std::size_t rank = 0;
    for (const Item member : expected) {
      ASSERT_EQ(set.rank(member), rank);
      ASSERT_EQ(set.nth(rank), member);
      ++rank;
    }
  }
}

std::map<std::pair<double, double>, std::vector<Item>> expected_classes(
    const std::vector<Counts>& counts) {
  std::map<std::pair<double, double>, std::vector<Item>> classes;
  for (Item e = 0; e < counts.size(); ++e) {
    const bool is_one = counts[e].attracted >= counts[e].observed;
    classes[is_one ? std::pair(0.0, 0.0) : std::pair(counts[e].observed, counts[e].attracted)]
        .push_back(e);
  }
  return classes;
}

TEST(ItemClasses, HoldExactlyTheItemsOfEqualCounts) {
  constexpr std::size_t kItems = 300;
  Rng rng(2);
  std::vector<Counts> counts(kItems);
  ItemClasses classes(kItems);
  classes.assign(counts);
  for (int n = 0; n < 5000; ++n) {
    const auto e = static_cast<Item>(rng.below(kItems));
    if (rng.below(10) == 0) {
      counts[e] = {rng.uniform(), 0};
    } else {
      counts[e].add(rng.below(3) == 0);
    }
    classes.move(e, counts[e]);
    if (n % 100 != 0) continue;
    for (const auto& [key, members] : expected_classes(counts)) {
      const auto c = classes.class_of(members[0]);
      ASSERT_EQ(classes.counts(c), (Counts{key.first, key.second}));
      ASSERT_EQ(classes.members(c).size(), members.size());
      for (std::size_t r = 0; r < members.size(); ++r) {
        ASSERT_EQ(classes.members(c).nth(r), members[r]);
        ASSERT_EQ(classes.class_of(members[r]), c);
      }
    }
  }
}

// Lines that anybody may change.
struct Lines {
  std::vector<std::pair<double, double>>* all;
  double operator()(std::uint32_t line, double clock) const {
    return (*all)[line].first + (*all)[line].second * clock;
  }
  double slope(std::uint32_t line) const { return (*all)[line].second; }
};

TEST(KineticTournament, KnowsTheHighestLinesAtEveryClock) {
  Rng rng(3);
  std::vector<std::pair<double, double>> all(100);
  for (auto& [intercept, slope] : all) intercept = rng.uniform(), slope = 0.1 * rng.uniform();
  const Lines lines{&all};
  KineticTournament tournament;
  tournament.build(all.size(), 0, lines);
  double clock = 0;
  for (int n = 0; n < effort(20000, 2000); ++n) {
    clock += rng.below(100) == 0 ? 0.1 : 1e-3 * rng.uniform();
    if (n % 3 == 0) {
      const auto line = static_cast<std::uint32_t>(rng.below(all.size()));
      const double slope = 0.1 * rng.uniform();
      all[line] = {rng.uniform() + 0.05 * clock - slope * clock, slope};
      tournament.change(line, clock, lines);
    }
    tournament.advance(clock, lines);
    std::vector<double> expected;
    for (std::uint32_t i = 0; i < all.size(); ++i) expected.push_back(lines(i, clock));
    std::sort(expected.rbegin(), expected.rend());
    std::size_t place = 0;
    tournament.from_the_top(clock, lines, [&](std::uint32_t line, double height) {
      EXPECT_EQ(height, lines(line, clock));
      EXPECT_NEAR(height, expected[place], 1e-12);
      return ++place < 7;
    });
    ASSERT_EQ(place, 7U);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace dcmrank
