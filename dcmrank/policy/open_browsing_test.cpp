#include "dcmrank/policy/open_browsing.h"

#include <cmath>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "dcmrank/policy/served_rows_test.h"

namespace dcmrank {
namespace {

TEST(OpenBrowsing, CountsWholePagesWhateverTheirOrder) {
  const auto pages = random_pages(200);
  Rows forwards = nothing();
  Rows backwards = nothing();
  for (std::size_t n = 0; n < pages.size(); ++n) {
    add_rows(forwards, added(forwards, pages[n]), 1);
    add_rows(backwards, added(backwards, pages[pages.size() - 1 - n]), 1);
  }
  EXPECT_EQ(forwards, backwards);
  double shown = 0;
  for (const auto& row : forwards) {
    for (const double number : row) EXPECT_EQ(number, std::floor(number));
    shown += OpenBrowsing::family().counts_in(row).observed;
  }
  double on_screens = 0;
  for (const ShownPage& page : pages) on_screens += static_cast<double>(page.clicks.size());
  EXPECT_EQ(shown, on_screens);
}

TEST(OpenBrowsing, LearnsFromAPageTheSameWhateverItBelieves) {
  const auto pages = random_pages(60);
  Rows rows = nothing();
  for (std::size_t n = 0; n < 50; ++n) add_rows(rows, added(rows, pages[n]), 1);
  const auto shared = fit_shared(OpenBrowsing(top_down(5)), rows);
  for (std::size_t n = 50; n < 60; ++n) {
    EXPECT_EQ(added(rows, pages[n], shared), added(nothing(), pages[n])) << n;
  }
}

TEST(OpenBrowsing, KnowsNothingOfAPageThatWasTakenBack) {
  const auto pages = random_pages(40);
  Rows rows = nothing();
  Rows without = nothing();
  Rows taken;
  for (std::size_t n = 0; n < pages.size(); ++n) {
    const Rows more = added(rows, pages[n]);
    add_rows(rows, more, 1);
    if (n == 3) taken = more;
    if (n != 3) add_rows(without, added(without, pages[n]), 1);
  }
  EXPECT_NE(rows, without);
  add_rows(rows, taken, -1);
  EXPECT_EQ(rows, without);
}

TEST(OpenBrowsing, BringsIntoRangeWhatWasTakenBackTooOften) {
  OpenBrowsing policy(top_down(2));
  policy.open(3);
  policy.put_item(0, std::vector<double>{-1, -1, 0, 0, 2, 3});
  std::vector<double> row(6);
  policy.get_item(0, row);
  EXPECT_EQ(row, (std::vector<double>{0, 0, 0, 0, 3, 3}));
  const Counts counts = OpenBrowsing::family().counts_in(std::vector<double>{-1, -1, 5, 2, 1});
  EXPECT_EQ(counts, (Counts{6, 2}));
  EXPECT_FALSE(OpenBrowsing::family().has_terminations);
}

// So a model's number of positions may change, and requests may ask for lists of any length.
TEST(OpenBrowsing, HasRowsOfWhichThoseOfFewerPositionsAreTheBeginning) {
  OpenBrowsing few(top_down(11));
  OpenBrowsing more(top_down(13));
  ASSERT_LT(few.item_row(), more.item_row());
  for (const ShownPage& page : random_pages(50)) {
    const Ranking shown{page.items, {}, {}};
    const Clicks clicks = Clicks(page.clicks).first(std::min<std::size_t>(3, page.clicks.size()));
    few.open(7);
    more.open(7);
    few.update(shown, clicks);
    more.update(shown, clicks);
    const Rows of_few = rows_of(few, 7);
    Rows of_more = rows_of(more, 7);
    for (auto& row : of_more) row.resize(few.item_row());
    EXPECT_EQ(of_few, of_more);
  }
}

TEST(OpenBrowsing, ShowsTheCallersListFirst) {
  OpenBrowsing policy(top_down(4));
  Ranking ranking;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Rng rng(seed);
    policy.open(9);
    policy.put_item(1, std::vector<double>(policy.item_row()));  // all was taken back
    policy.rank(rng, ranking);
    EXPECT_EQ(ranking.items, (std::vector<Item>{0, 1, 2, 3}));
    EXPECT_EQ(policy.score(8, 0), 1);
  }
}

// Seen at the bottom alone, an item may be far better than it seems: draws above 1 are common.
TEST(OpenBrowsing, ShowsWhatWasNeverSeenBeforeTheRest) {
  OpenBrowsing policy(top_down(3));
  std::vector<double> row(policy.item_row());
  row[2 * context_of(2, 0)] = 20;
  row[2 * context_of(2, 0) + 1] = 19;
  Ranking ranking;
  Rng rng(1);
  std::set<Item> second;
  for (int n = 0; n < 100; ++n) {
    policy.open(3);
    policy.put_item(0, row);
    policy.put_item(1, row);
    policy.rank(rng, ranking);
    ASSERT_EQ(ranking.items[0], 2U);
    for (Item e = 0; e < 3; ++e) ASSERT_LE(policy.score(e, 0), 1);
    second.insert(ranking.items[1]);
  }
  EXPECT_EQ(second.size(), 2U);
}

TEST(OpenBrowsing, TakesAPriorForLooksAtTheFirstPosition) {
  OpenBrowsing told(top_down(3));
  OpenBrowsing seen(top_down(3));
  std::vector<double> row(seen.item_row());
  row[0] = 10;
  row[1] = 4;
  told.open(3);
  seen.open(3);
  told.add_prior(1, {10, 4});
  seen.put_item(1, row);
  Ranking a;
  Ranking b;
  Rng of_told(5);
  Rng of_seen(5);
  told.rank(of_told, a);
  seen.rank(of_seen, b);
  EXPECT_EQ(told.score(1, 0), seen.score(1, 0));
  EXPECT_LT(told.score(1, 0), 1);
  EXPECT_EQ(told.estimate(1), seen.estimate(1));
  seen.add_prior(1, {2.5, .5});  // beside what was seen
  seen.get_item(1, row);
  EXPECT_EQ(row[0], 12.5);
  EXPECT_EQ(row[1], 4.5);
}

TEST(OpenBrowsing, PlacesTheBestItemWhereItIsTold) {
  OpenBrowsing policy(PositionOrder{1, 2, 0});
  policy.open(4);
  for (Item e = 0; e < 4; ++e) policy.add_prior(e, {1e6, 1e5 * (e + 1)});
  Rng rng(1);
  Ranking ranking;
  policy.rank(rng, ranking);
  EXPECT_EQ(ranking.items, (std::vector<Item>{1, 3, 2}));
}

TEST(OpenBrowsing, HasRowsOfBoundedLengthForListsOfAnyLength) {
  OpenBrowsing policy(top_down(500));
  EXPECT_EQ(policy.item_row(), 32U * 33U);
  EXPECT_EQ(policy.shared_row(), 1 + 32U * 32U);
  policy.open(600);
  Rng rng(1);
  Ranking ranking;
  const std::vector<std::uint8_t> clicks(500, 1);
  for (int n = 0; n < 3; ++n) {
    policy.rank(rng, ranking);
    EXPECT_EQ(std::set<Item>(ranking.items.begin(), ranking.items.end()).size(), 500U);
    policy.update(ranking, clicks);
  }
  EXPECT_LT(policy.estimate(ranking.items[499]), 1);
  OpenBrowsing one(top_down(1));
  EXPECT_EQ(one.item_row(), 110U);  // it reads what longer lists taught
  one.open(2);
  one.rank(rng, ranking);
  EXPECT_EQ(ranking.items, std::vector<Item>{0});
}

// All pages of a model were closed without a click: an item that is new may be clicked all the
// same.
TEST(OpenBrowsing, BelievesThatClicksMayComeWhereNoneHave) {
  OpenBrowsing policy(top_down(2));
  double before = 1;
  for (const double pages : {1.0, 10.0, 1000.0}) {
    Rows rows = nothing();
    for (Item e = 0; e < 2; ++e) {
      rows[e].assign(policy.item_row(), 0);
      rows[e][2 * context_of(e, 0)] = pages;
    }
    put_rows(policy, rows);
    policy.put_shared(fit_shared(policy, rows));
    EXPECT_GT(policy.estimate(0), 0) << pages;
    EXPECT_GT(policy.estimate(6), policy.estimate(0)) << pages;  // never seen
    EXPECT_LT(policy.estimate(6), before) << pages;
    before = policy.estimate(6);
  }
}

}  // namespace
}  // namespace dcmrank
