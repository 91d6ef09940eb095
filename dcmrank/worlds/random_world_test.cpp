#include "dcmrank/worlds/random_world.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/error.h"

namespace dcmrank {
namespace {

constexpr std::uint64_t kDrawn = 200;

nlohmann::ordered_json drawn(const std::string& kind, std::uint64_t seed, std::uint64_t number) {
  return problem_to_json(random_world(kind, seed, number).problem);
}

void expect_within(const nlohmann::ordered_json& values, double low, double high) {
  for (const double value : values) {
    EXPECT_GE(value, low);
    EXPECT_LE(value, high);
  }
}

TEST(RandomWorld, DependsOnSeedKindAndNumberAlone) {
  std::set<std::string> different;
  for (const std::string& kind : random_world_kinds()) {
    for (const std::uint64_t seed : {1U, 2U}) {
      for (const std::uint64_t number : {1U, 2U, 7U}) {
        EXPECT_EQ(drawn(kind, seed, number), drawn(kind, seed, number));
        different.insert(drawn(kind, seed, number)["attraction"].dump());
      }
    }
  }
  EXPECT_EQ(different.size(), 6 * random_world_kinds().size());
}

// Other machines, and later versions, must draw the same: what was measured can be repeated.
TEST(RandomWorld, IsTheSameEverywhereAndForever) {
  const World world = random_world("ubm", 1, 1);
  EXPECT_EQ(world.name, "ubm-1");
  EXPECT_EQ(world.problem.items(), 26U);
  EXPECT_EQ(world.problem.positions(), 8U);
  EXPECT_EQ(drawn("ubm", 1, 1)["attraction"][0], 0.05248863027035783);
  EXPECT_EQ(drawn("ubm", 1, 1)["examination"][1], 0.9609150773386075);
  const World pbm = random_world("pbm", 1, 2);
  EXPECT_EQ(pbm.problem.items(), 26U);
  EXPECT_EQ(pbm.problem.positions(), 5U);
  EXPECT_EQ(drawn("pbm", 1, 2)["examination"][1], 0.44341729278092085);
}

TEST(RandomWorld, HasASizeAndAttractionsWithinTheStatedRanges) {
  std::set<std::size_t> positions;
  std::set<std::size_t> items;
  int bright = 0;
  for (const std::string& kind : random_world_kinds()) {
    for (std::uint64_t n = 1; n <= kDrawn; ++n) {
      const World world = random_world(kind, 3, n);
      EXPECT_EQ(world.kind(), kind);
      positions.insert(world.problem.positions());
      items.insert(world.problem.items());
      EXPECT_GE(world.problem.items(), world.problem.positions() + 4);
      const auto attraction = problem_to_json(world.problem)["attraction"];
      expect_within(attraction, .02, .9);
      const double most = *std::max_element(attraction.begin(), attraction.end());
      bright += most > .5 ? 1 : 0;
    }
  }
  EXPECT_EQ(positions, (std::set<std::size_t>{3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(*items.begin(), 7U);
  EXPECT_EQ(*items.rbegin(), 32U);
  EXPECT_NEAR(bright, 400, 80);  // a third have the bound .9
}

TEST(RandomWorld, HasParametersWithinTheStatedRanges) {
  for (std::uint64_t n = 1; n <= kDrawn; ++n) {
    const auto dcm = drawn("dcm", 4, n)["termination"].get<std::vector<double>>();
    expect_within(dcm, .05, .95);
    EXPECT_TRUE(std::is_sorted(dcm.begin(), dcm.end(), std::greater<>()));
    const auto pbm = drawn("pbm", 4, n)["examination"].get<std::vector<double>>();
    EXPECT_EQ(pbm[0], 1);
    expect_within({pbm[1]}, .4061, .7579);  // 2^-1.3 to 2^-.4
    EXPECT_NEAR(pbm[2], std::pow(pbm[1], std::log2(3.0)), 1e-12);
    const auto dbn = drawn("dbn", 4, n);
    expect_within(dbn["satisfaction"], .3, .9);
    EXPECT_EQ(dbn["satisfaction"].front(), dbn["satisfaction"].back());
    expect_within(dbn["continuation"], .7, .97);
    const auto ccm = drawn("ccm", 4, n)["alpha"];
    expect_within({ccm[0]}, .7, .98);
    expect_within({ccm[1]}, .5, .9);
    expect_within({ccm[2]}, .1, .5);
    // Row after row: position 1; position 2 after a click on 1, without one; ...
    const auto ubm = drawn("ubm", 4, n)["examination"].get<std::vector<double>>();
    EXPECT_EQ(ubm[0], 1);
    expect_within({ubm[2]}, .5, .8123);  // 2^-1 to 2^-.3
    expect_within({ubm[1] / (.6 + .4 * ubm[2])}, .85 - 1e-12, 1.15 + 1e-12);
  }
}

TEST(RandomWorld, IsRefusedForAnUnknownKind) {
  EXPECT_THROW(random_world("dcn", 1, 1), InputError);
}

}  // namespace
}  // namespace dcmrank
