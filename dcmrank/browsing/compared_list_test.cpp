#include "dcmrank/browsing/compared_list.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "dcmrank/browsing/table.h"
#include "dcmrank/random/rng.h"

namespace dcmrank {
namespace {

using Clicked = std::vector<std::uint8_t>;

std::vector<double> random_examination(std::size_t positions, Rng& rng) {
  std::vector<double> g(contexts_above(positions));
  for (double& value : g) value = rng.uniform();
  g[0] = 1;
  return g;
}

// Over all clicks that are possible.
TEST(ListForecast, IsTheMeanOverAllPages) {
  Rng rng(1);
  ListForecast forecast;
  for (std::size_t n = 1; n <= 6; ++n) {
    const auto g = random_examination(n, rng);
    std::vector<double> w(n);
    for (double& value : w) value = rng.uniform();
    PositionOrder order = top_down(n);
    std::reverse(order.begin(), order.end());
    double clicks = 0;
    double none = 0;
    std::vector<double> looked(n);
    for (unsigned page = 0; page < 1U << n; ++page) {
      Clicked clicked(n);
      for (std::size_t k = 0; k < n; ++k) clicked[k] = (page >> k) & 1U;
      double chance = 1;
      double count = 0;
      std::vector<double> looks(n);
      for_contexts(clicked, n, [&](std::size_t k, std::size_t context) {
        const double click = g[context] * w[n - 1 - k];
        looks[k] = g[context];
        chance *= clicked[k] != 0 ? click : 1 - click;
        count += clicked[k];
      });
      if (page == 0) none = chance;
      clicks += chance * count;
      for (std::size_t k = 0; k < n; ++k) looked[k] += chance * looks[k];
    }
    const ListWorth worth = forecast.worth(w, g, order);
    EXPECT_NEAR(worth.clicks, clicks, 1e-12);
    EXPECT_NEAR(worth.any, 1 - none, 1e-12);
    for (std::size_t k = 0; k < n; ++k) EXPECT_NEAR(forecast.looked(k), looked[k], 1e-12) << k;
  }
}

// Four items for three positions. Who skips goes on; after a click, a part of the users does.
BrowsingFit fit_of(double goes_on, const KnownItem& leader, const KnownItem& explorer) {
  BrowsingFit fit;
  fit.examination.assign(contexts_above(3), 1);
  for (const std::size_t b : {context_of(1, 1), context_of(2, 1), context_of(2, 2)}) {
    fit.examination[b] = goes_on;
  }
  fit.known = {{1000, 900, 1}, {1000, 890, 1}, leader, explorer};
  fit.average = .5;
  return fit;
}

// Items 0 and 1, and 3 in place of 2.
std::vector<Item> placed(const BrowsingFit& fit, double draw) {
  const std::vector<Scored> drawn{{.9, 0}, {.89, 1}, {.85, 3}};
  ComparedList compared;
  std::vector<Item> list;
  compared.place(drawn, fit, top_down(3), TieBreak(1), draw, list);
  return list;
}

TEST(ComparedList, LooksAtTheLessKnownWhereUsersLook) {
  EXPECT_EQ(placed(fit_of(.1, {5000, 4000, 1}, {50, 39, 1}), .01), (std::vector<Item>{3, 0, 1}));
  EXPECT_EQ(placed(fit_of(.1, {50, 42, 1}, {5000, 3950, 1}), .01), (std::vector<Item>{2, 0, 1}));
}

TEST(ComparedList, MovesNothingWhereUsersLookAnyway) {
  EXPECT_EQ(placed(fit_of(1, {5000, 4000, 1}, {50, 39, 1}), .01), (std::vector<Item>{0, 1, 3}));
}

// Items are hardly known: those that are moved would be followed by the next.
TEST(ComparedList, MovesNothingWhereSeveralExplore) {
  BrowsingFit fit = fit_of(.1, {5000, 4000, 1}, {50, 39, 1});
  fit.known.push_back({50, 38, 1});
  const std::vector<Scored> drawn{{.95, 3}, {.9, 0}, {.89, 4}};
  ComparedList compared;
  std::vector<Item> list;
  compared.place(drawn, fit, top_down(3), TieBreak(1), .01, list);
  EXPECT_EQ(list, (std::vector<Item>{3, 0, 4}));
  compared.place(std::vector<Scored>{{.9, 0}, {.89, 3}, {.88, 4}}, fit, top_down(3), TieBreak(1),
                 .01, list);
  EXPECT_EQ(list, (std::vector<Item>{0, 3, 4}));
}

TEST(ComparedList, MovesOnSomePagesOnly) {
  BrowsingFit fit = fit_of(.001, {5000, 4000, 1}, {50, 39, 1});
  fit.known[0].attracted = 995;
  fit.known[1].attracted = 994;
  EXPECT_EQ(placed(fit, .01), (std::vector<Item>{3, 0, 1}));
  EXPECT_EQ(placed(fit, .999), (std::vector<Item>{0, 1, 3}));
}

TEST(ComparedList, PlacesByDrawsWhereNobodyExplores) {
  const auto fit = fit_of(.1, {50, 40, 1}, {50, 41, 1});
  EXPECT_EQ(placed(fit, .01), (std::vector<Item>{0, 1, 3}));
}

}  // namespace
}  // namespace dcmrank
