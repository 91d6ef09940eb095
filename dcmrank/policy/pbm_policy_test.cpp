#include "dcmrank/policy/pbm_policy.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace dcmrank {
namespace {

struct PbmCase {
  const char* what;
  std::vector<Counts> counts;
  std::vector<double> examination;
};

// Mean and variance of the posterior by summing its density.
std::pair<double, double> moments(const PbmCase& c) {
  const auto log_density = [&](double w) {
    double sum = 0;
    for (std::size_t k = 0; k < c.counts.size(); ++k) {
      sum += c.counts[k].attracted * std::log(w);
      sum += (c.counts[k].observed - c.counts[k].attracted) * std::log(1 - c.examination[k] * w);
    }
    return sum;
  };
  constexpr int kSteps = 200000;
  double highest = -1e300;
  for (int i = 0; i < kSteps; ++i) highest = std::max(highest, log_density((i + .5) / kSteps));
  double mass = 0;
  double first = 0;
  double second = 0;
  for (int i = 0; i < kSteps; ++i) {
    const double w = (i + .5) / kSteps;
    const double p = std::exp(log_density(w) - highest);
    mass += p;
    first += p * w;
    second += p * w * w;
  }
  return {first / mass, second / mass - first / mass * first / mass};
}

TEST(AttractionPosterior, IsDrawnFromExactly) {
  const std::vector<PbmCase> cases{
      {"nothing seen", {{0, 0}, {0, 0}}, {1, .5}},
      {"one click", {{1, 1}, {0, 0}}, {1, .5}},
      {"one skip", {{1, 0}, {0, 0}}, {1, .5}},
      {"a Beta distribution", {{50, 20}, {0, 0}}, {1, .5}},
      {"two positions", {{50, 20}, {400, 30}}, {1, .2}},
      {"no clicks", {{900, 0}, {50, 0}}, {.9, .3}},
      {"more clicks than the examination explains", {{0, 0}, {30, 25}}, {1, .3}},
      {"clicks alone", {{40, 40}, {0, 0}}, {1, .3}},
      {"many pages", {{100000, 1200}, {300000, 1000}}, {.9, .3}},
      {"hardly examined", {{0, 0}, {1000, 1}}, {.9, .001}},
      {"never examined", {{0, 0}, {1000, 0}}, {.9, 0}}};
  for (const PbmCase& c : cases) {
    AttractionPosterior posterior;
    posterior.fit(c.counts, c.examination);
    const auto [mean, variance] = moments(c);
    constexpr int kDraws = 40000;
    double first = 0;
    double second = 0;
    for (int i = 0; i < kDraws; ++i) {
      CounterRng rng(subkey(7, static_cast<std::uint64_t>(i)));
      const double w = posterior.draw(c.counts, c.examination, rng);
      ASSERT_TRUE(w > 0 && w < 1) << c.what;
      first += (w - mean) / kDraws;
      second += (w - mean) * (w - mean) / kDraws;
    }
    EXPECT_LT(std::abs(first), 4 * std::sqrt(variance / kDraws)) << c.what;
    EXPECT_NEAR(second / variance, 1, .05) << c.what;
  }
}

TEST(PbmPolicy, PutsTheBestWhereMostLook) {
  PbmPolicy policy({3, 2, 1000}, {.2, .9});
  Ranking shown{{0, 1}, {}, {}, false};
  for (int i = 0; i < 300; ++i) {
    shown.items = {static_cast<Item>(i % 3), static_cast<Item>((i + 1) % 3)};
    // Item 2 is always clicked, item 1 sometimes.
    const auto clicked = [&](std::size_t k) {
      return static_cast<std::uint8_t>(shown.items[k] == 2 || (shown.items[k] == 1 && i % 4 < 2));
    };
    policy.update(shown, std::vector<std::uint8_t>{clicked(0), clicked(1)});
  }
  Rng rng(1);
  policy.rank(rng, shown);
  EXPECT_EQ(shown.items, (std::vector<Item>{1, 2}));
}

}  // namespace
}  // namespace dcmrank
