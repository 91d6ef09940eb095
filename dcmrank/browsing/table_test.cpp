#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/error.h"
#include "dcmrank/browsing/fit.h"
#include "dcmrank/random/rng.h"

namespace dcmrank {
namespace {

using Clicked = std::vector<std::uint8_t>;

TEST(BrowsingTable, CountsByPositionAndDistanceToTheLastClick) {
  BrowsingTable table(6, 4);
  table.add(std::vector<Item>{3, 1, 0, 5}, Clicked{0, 1, 0, 1});
  EXPECT_EQ(table.seen(), 4U);
  EXPECT_TRUE(table.row(2).empty());
  EXPECT_EQ(table.row(3)[0], (BrowsingCell{1, 0}));
  EXPECT_EQ(table.row(1)[2], (BrowsingCell{1, 1}));  // position 2, no click above
  EXPECT_EQ(table.row(0)[3], (BrowsingCell{1, 0}));  // position 3, the click is 1 above
  EXPECT_EQ(table.row(5)[7], (BrowsingCell{1, 1}));  // position 4, the click is 2 above
}

TEST(BrowsingTable, CountsWhatWasOnTheScreenAlone) {
  BrowsingTable table(4, 3);
  table.add(std::vector<Item>{0, 1, 2}, Clicked{1});
  EXPECT_EQ(table.row(0)[0], (BrowsingCell{1, 1}));
  EXPECT_TRUE(table.row(1).empty());
}

// A table that tells fewer positions apart: those below count as the last of them.
TEST(BrowsingTable, CountsDeepPositionsAsItsLast) {
  BrowsingTable table(5, 3);
  table.add(std::vector<Item>{0, 1, 2, 3, 4}, Clicked{1, 0, 0, 1, 0});
  EXPECT_EQ(table.row(2)[context_of(2, 2)], (BrowsingCell{1, 0}));
  EXPECT_EQ(table.row(3)[context_of(2, 2)], (BrowsingCell{1, 1}));  // the click is 3 above
  EXPECT_EQ(table.row(4)[context_of(2, 1)], (BrowsingCell{1, 0}));
  BrowsingTable one(2, 1);
  one.add(std::vector<Item>{0, 1}, Clicked{1, 1});
  EXPECT_EQ(one.row(1)[0], (BrowsingCell{1, 1}));
}

// Users of a UBM see random lists.
struct Visits {
  std::vector<double> attraction{.8, .6, .4, .3, .2, .1};
  std::vector<double> examination{1, .5, .9, .6, .2, .7};
  std::vector<std::vector<Item>> lists;
  std::vector<Clicked> clicks;

  explicit Visits(int count) {
    Rng rng(7);
    for (int n = 0; n < count; ++n) {
      std::vector<Item> items(attraction.size());
      std::iota(items.begin(), items.end(), Item{0});
      for (std::size_t k = 0; k < 3; ++k) {
        std::swap(items[k], items[k + rng.below(items.size() - k)]);
      }
      items.resize(3);
      Clicked clicked(3);
      for_contexts(clicked, 3, [&](std::size_t k, std::size_t context) {
        clicked[k] = rng.uniform() < attraction[items[k]] * examination[context] ? 1 : 0;
      });
      lists.push_back(items);
      clicks.push_back(clicked);
    }
  }
};

TEST(BrowsingFit, FindsAttractionAndExaminationOfGeneratedPages) {
  const Visits visits(200'000);
  BrowsingTable table(6, 3);
  for (std::size_t n = 0; n < visits.lists.size(); ++n)
    table.add(visits.lists[n], visits.clicks[n]);
  BrowsingFit found;
  fit(table, found);
  for (std::size_t e = 0; e < 6; ++e) {
    EXPECT_NEAR(found.attraction[e], visits.attraction[e], .02) << e;
    EXPECT_NEAR(found.known[e].attracted / found.known[e].observed, visits.attraction[e], .02);
  }
  for (std::size_t b = 0; b < 6; ++b) {
    EXPECT_NEAR(found.examination[b], visits.examination[b], .03) << b;
  }
}

TEST(BrowsingFit, IsTheSameForPagesInAnyOrder) {
  const Visits visits(300);
  BrowsingTable forwards(6, 3);
  BrowsingTable backwards(6, 3);
  for (std::size_t n = 0; n < 300; ++n) {
    forwards.add(visits.lists[n], visits.clicks[n]);
    backwards.add(visits.lists[299 - n], visits.clicks[299 - n]);
  }
  BrowsingFit a;
  BrowsingFit b;
  fit(forwards, a);
  fit(backwards, b);
  EXPECT_EQ(a.attraction, b.attraction);
  EXPECT_EQ(a.examination, b.examination);
  EXPECT_EQ(a.root, b.root);
}

// An item that was only ever shown at one place below the first says nothing about that place.
TEST(BrowsingFit, DoubtsAPositionWhoseItemsNeverMove) {
  BrowsingTable fixed(4, 2);
  BrowsingTable moving(4, 2);
  Rng rng(3);
  for (int n = 0; n < 4000; ++n) {
    const Clicked clicks{static_cast<std::uint8_t>(rng.below(2)),
                         static_cast<std::uint8_t>(rng.below(4) == 0)};
    fixed.add(std::vector<Item>{0, 1}, clicks);
    moving.add(n % 2 == 0 ? std::vector<Item>{0, 1} : std::vector<Item>{1, 0}, clicks);
  }
  BrowsingFit of_fixed;
  BrowsingFit of_moving;
  fit(fixed, of_fixed);
  fit(moving, of_moving);
  EXPECT_LT(of_fixed.root[0], 2);  // precision of log examination, as a root
  EXPECT_GT(of_moving.root[0], 10);
}

// Item 0, of .75, was shown at the second position a few times and clicked each time; item 1 always
// stood there. Were that position looked at as surely as this says, a look at it would say much.
TEST(BrowsingFit, DoesNotTakeAFewLuckyClicksForCertainty) {
  const auto known_after = [](double shown, double clicked) {
    BrowsingTable table(3, 2);
    table.make_row(0)[0] = {10'000, 7'500};
    table.make_row(0)[context_of(1, 0)] = {shown, clicked};
    table.make_row(1)[context_of(1, 0)] = {10'000, 3'000};
    BrowsingFit found;
    fit(table, found);
    return found.root[0] * found.root[0];  // the precision of log examination
  };
  EXPECT_LT(known_after(4, 4), 7);  // 13 as if it were so
  const double there = 4'000 * .75 / .25;
  const double at_the_top = 10'000 * .75 / .25;
  EXPECT_GT(known_after(4'000, 3'000), .9 * there * at_the_top / (there + at_the_top));
}

// Where nearly all pages show one list, only the few others tell attraction from examination:
// sweeps alone would stay near where they began.
TEST(BrowsingFit, FindsTheScaleOfAPositionFromFewPages) {
  const std::array attraction{.4, .43};
  constexpr double kSecond = .5;
  BrowsingTable table(2, 2);
  const auto show = [&](Item first, std::uint64_t pages) {
    const Item second = 1 - first;
    const auto clicks = [&](std::uint64_t n, double p) {
      return static_cast<std::uint64_t>(std::lround(p * static_cast<double>(n)));
    };
    const std::uint64_t above = clicks(pages, attraction[first]);
    const auto add = [&](Item e, std::size_t context, std::uint64_t shown, double p) {
      BrowsingCell& cell = table.make_row(e)[context];
      cell.shown += static_cast<double>(shown);
      cell.clicked += static_cast<double>(clicks(shown, p));
    };
    add(first, 0, pages, attraction[first]);
    add(second, context_of(1, 1), above, kSecond * attraction[second]);
    add(second, context_of(1, 0), pages - above, kSecond * attraction[second]);
  };
  show(0, 200'000);
  show(1, 2'000);
  BrowsingFit found;
  fit(table, found);
  for (Item e = 0; e < 2; ++e) EXPECT_NEAR(found.attraction[e], attraction[e], .002);
  EXPECT_NEAR(found.examination[context_of(1, 0)], kSecond, .003);
}

TEST(BrowsingFit, LeavesNoClickWithoutAnExplanation) {
  BrowsingTable table(4, 3);
  for (int n = 0; n < 50; ++n) table.add(std::vector<Item>{0, 1, 2}, Clicked{0, 0, 0});
  BrowsingFit found;
  fit(table, found);
  for (const double g : found.examination) EXPECT_GT(g, 0);
  for (const auto& known : found.known) EXPECT_GT(known.examination, 0);
}

TEST(BrowsingTable, IsReadAsItWasWritten) {
  const Visits visits(50);
  BrowsingTable table(6, 3);
  for (std::size_t n = 0; n < 40; ++n) table.add(visits.lists[n], visits.clicks[n]);
  const BrowsingTable before = table;
  for (std::size_t n = 40; n < 50; ++n) table.add(visits.lists[n], visits.clicks[n]);
  const nlohmann::ordered_json state{{"cells", cells_to_json(before)},
                                     {"since", cells_to_json(table, &before)}};
  BrowsingTable read(6, 3);
  add_cells(state, "cells", read);
  add_cells(state, "since", read);
  EXPECT_EQ(cells_to_json(read), cells_to_json(table));
}

TEST(BrowsingTable, RefusesCellsThatItWouldNotHaveWritten) {
  for (const char* cell : {"[6,0,1,0]", "[0,6,1,0]", "[0,0,0,0]", "[0,0,1,2]", "[0,0,1]",
                           "[0,0,-1,0]", "[0,0,1.5,0]", "7", "[0,0,18446744073709551615,0]"}) {
    BrowsingTable table(6, 3);
    const auto state = nlohmann::ordered_json::parse("{\"cells\":[" + std::string(cell) + "]}");
    EXPECT_THROW(add_cells(state, "cells", table), InputError) << cell;
  }
}

}  // namespace
}  // namespace dcmrank
