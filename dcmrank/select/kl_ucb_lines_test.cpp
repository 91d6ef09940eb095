#include "dcmrank/select/kl_ucb_lines.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "dcmrank/index/index_test.h"
#include "dcmrank/index/kl_ucb.h"
#include "dcmrank/select/kl_ucb_columns.h"

namespace dcmrank {
namespace {

// An index whose budget is its clock.
struct FixedBudget {
  static constexpr bool kOneBudget = true;
  double at;
  double clock() const { return at; }
  double budget(const Counts& /*counts*/) const { return at; }
};

const std::vector<KlUcbLines::Entry> kEntry{0};

KlUcbLines lines_of(const Counts& counts, const FixedBudget& index) {
  KlUcbLines lines(1);
  lines.refresh(kEntry, index, [&](auto) -> const Counts& { return counts; });
  return lines;
}

void expect_bounds(const KlUcbLines& lines, const Counts& counts, double budget) {
  const double index = kl_ucb(counts, budget);
  const double upper = lines.upper(0, budget);
  ASSERT_GE(upper, index);
  ASSERT_LE(lines.lower(0, upper), index);
}

TEST(KlUcbLines, BoundTheIndexAtAllLaterBudgets) {
  Rng rng(3);
  for (int n = 0; n < 20000; ++n) {
    const Counts counts = some_counts(rng);
    const FixedBudget start{20 * rng.uniform()};
    const KlUcbLines lines = lines_of(counts, start);
    for (const double more : {0.0, 1e-3, 0.1, 1.0, 10.0}) {
      expect_bounds(lines, counts, start.at + more);
    }
    const double upper = lines.upper(0, start.at);
    if (kl_ucb(counts, start.at) > 1 - 1e-9) continue;
    ASSERT_LT(upper - lines.lower(0, upper), 1e-7);
  }
}

// More observations, by whole numbers or fractions, or fewer, as the revised counting takes back.
Counts changed(Counts counts, Rng& rng) {
  const double times = std::exp(3 * rng.uniform() - 1) * std::max(1.0, 0.003 * counts.observed);
  const double observed = rng.below(2) == 0 ? std::ceil(times) : times;
  const double attracted = rng.below(2) == 0 ? observed * rng.uniform() : 0;
  counts.observed += observed;
  counts.attracted += rng.below(2) == 0 ? std::floor(attracted) : attracted;
  if (rng.below(8) == 0) counts.observed -= 1.5 * observed;
  counts.observed = std::max(0.0, counts.observed);
  counts.attracted = std::min(counts.attracted, counts.observed);
  return counts;
}

TEST(KlUcbLines, BoundTheIndexAfterTheirCountsHaveMoved) {
  Rng rng(4);
  long known = 0;
  for (int n = 0; n < 20000; ++n) {
    Counts counts = some_counts(rng);
    FixedBudget index{20 * rng.uniform()};
    KlUcbLines lines = lines_of(counts, index);
    for (int moves = 0; moves < 6; ++moves) {
      counts = changed(counts, rng);
      index.at += 0.05 * rng.uniform();
      lines.move(0, index, counts);
      for (const double more : {0.0, 0.01, 1.0}) expect_bounds(lines, counts, index.at + more);
      if (lines.lower(0, lines.upper(0, index.at)) > 0) ++known;
    }
  }
  EXPECT_GT(known, 10000);
}

TEST(KlUcbLines, AreNarrowAfterAFewObservationsOfMany) {
  const Counts counts{10000, 2000};
  FixedBudget index{18};
  KlUcbLines lines = lines_of(counts, index);
  for (int more = 1; more <= 100; ++more) {
    lines.move(0, index, {counts.observed + more, counts.attracted + more / 4.0});
    const double upper = lines.upper(0, index.at);
    ASSERT_LT(upper - lines.lower(0, upper), 1e-6) << more;
  }
}

// Columns tell that indices decrease only where they do, and mostly where they clearly do.
TEST(KlUcbColumns, TellTheOrderOfIndicesWithEveryInstructionSet) {
  for_each_target([] {
    Rng rng(5);
    int told = 0;
    for (int n = 0; n < 3000; ++n) {
      const std::size_t size = 1 + rng.below(9);
      std::vector<Counts> counts;
      for (std::size_t i = 0; i < size + 3; ++i) counts.push_back(some_counts(rng));
      FixedBudget index{1 + 15 * rng.uniform()};
      const auto index_of = [&](Item e) { return kl_ucb(counts[e], index.at); };
      std::vector<Item> items(counts.size());
      for (Item e = 0; e < items.size(); ++e) items[e] = e;
      std::sort(items.begin(), items.end(),
                [&](Item a, Item b) { return index_of(a) > index_of(b); });
      KlUcbColumns columns(size);
      for (std::size_t i = 0; i < size; ++i) {
        const KlUcbLines lines = lines_of(counts[items[i]], index);
        columns.put(i, items[i], lines.plane(0));
      }
      index.at += 1e-3 * rng.uniform();
      for (Counts& c : counts) {
        if (c.observed > 1000 && rng.below(2) == 0) c.add(rng.below(3) == 0);
      }
      const double rest = index_of(items[size]);
      const bool in_order = columns.are_in_order(index.at, counts.data(), rest);
      told += in_order ? 1 : 0;
      for (std::size_t i = 0; i < size; ++i) {
        ASSERT_FALSE(columns.lower(i) > index_of(items[i]));
        ASSERT_FALSE(columns.upper(i) < index_of(items[i]));
        const double next = i + 1 < size ? index_of(items[i + 1]) : rest;
        ASSERT_TRUE(!in_order || index_of(items[i]) > next);
      }
    }
    EXPECT_GT(told, 200);
  });
}

}  // namespace
}  // namespace dcmrank
