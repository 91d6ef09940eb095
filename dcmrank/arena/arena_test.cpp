#include "dcmrank/arena/arena.h"

#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dcmrank/arena/report.h"
#include "dcmrank/arena/results.h"
#include "dcmrank/worlds/random_world.h"

namespace dcmrank {
namespace {

PolicyResult regrets(const std::vector<double>& end, double half) {
  PolicyResult result;
  result.regret_per_run = end;
  result.regret = summarise(end);
  for (const double regret : end) result.half_per_run.push_back(half * regret);
  result.curve_steps = {1, 500, 1000};
  return result;
}

TEST(Standing, HoldsWithinTwiceTheBestAndWithoutLinearRuns) {
  const auto standings = standings_of({regrets({150, 250}, .8), regrets({100, 100}, .8),
                                       regrets({201, 201}, .8), regrets({100, 120}, .5)},
                                      0);
  EXPECT_TRUE(standings[0].holds);  // exactly twice
  EXPECT_TRUE(standings[1].holds);
  EXPECT_FALSE(standings[2].holds);
  EXPECT_FALSE(standings[3].holds);
  EXPECT_EQ(standings[3].linear_runs, 2U);
  EXPECT_DOUBLE_EQ(standings[0].times_best.mean, 2);
  EXPECT_GT(standings[0].times_best.stderr_, 0);
  EXPECT_DOUBLE_EQ(standings[1].times_first, .5);
}

TEST(Standing, IsTakenNetOfTheFloor) {
  const auto standings =
      standings_of({regrets({1100, 1100}, .55), regrets({1300, 1300}, .55)}, 1000);
  EXPECT_DOUBLE_EQ(standings[0].net.mean, 100);
  EXPECT_DOUBLE_EQ(standings[1].times_best.mean, 3);
  EXPECT_FALSE(standings[1].holds);
  EXPECT_TRUE(standings_of({regrets({1100, 1100}, .8), regrets({1300, 1300}, .8)}, 0)[1].holds);
}

// A few users more or less in a whole run say nothing; and lists may be better than the floor.
TEST(Standing, DoesNotFallByRegretsThatAreNearNothing) {
  const auto standings = standings_of({regrets({2, 2}, .8), regrets({29, 29}, .8)}, 0);
  EXPECT_TRUE(standings[1].holds);
  EXPECT_DOUBLE_EQ(standings[1].times_best.mean, 1);
  EXPECT_DOUBLE_EQ(standings[1].times_first, 14.5);
  const auto below = standings_of({regrets({900, 900}, .8), regrets({1010, 1010}, .8)}, 1000);
  EXPECT_DOUBLE_EQ(below[0].net.mean, -100);
  EXPECT_DOUBLE_EQ(below[1].times_first, 10);
}

// Of users of one's own that do not say what the best sorted list loses.
TEST(Standing, IsNotJudgedWithoutAFloor) {
  const auto standings =
      standings_of({regrets({1100, 1100}, .55), regrets({1300, 1300}, .55)}, std::nullopt);
  for (const Standing& standing : standings) {
    EXPECT_FALSE(standing.judged);
    EXPECT_FALSE(standing.holds);
    EXPECT_EQ(standing.linear_runs, 0U);
    EXPECT_TRUE(std::isnan(standing.net.mean));
    EXPECT_TRUE(std::isnan(standing.times_best.mean));
    EXPECT_TRUE(std::isnan(standing.times_first));
  }
  EXPECT_DOUBLE_EQ(standings[1].regret.mean, 1300);
}

WorldOutcome outcome(const World& world, double first, double second) {
  return {world, 0, standings_of({regrets({first, first}, .8), regrets({second, second}, .8)}, 0)};
}

TEST(Tally, IsOverEachKindAndOverAll) {
  const auto tallies = tallies_of({outcome(random_world("dcm", 1, 1), 100, 200),
                                   outcome(random_world("dcm", 1, 2), 100, 800),
                                   outcome(random_world("pbm", 1, 1), 100, 100)});
  ASSERT_EQ(tallies.size(), 6U);
  EXPECT_EQ(tallies[1].kind, "dcm");
  EXPECT_EQ(tallies[1].worlds, 2U);
  EXPECT_EQ(tallies[1].held, 1U);
  EXPECT_NEAR(tallies[1].times_first.mean, 4, 1e-12);
  EXPECT_EQ(tallies[1].worst, "dcm-2");
  EXPECT_DOUBLE_EQ(tallies[1].worst_times, 8);
  EXPECT_EQ(tallies[5].kind, "");
  EXPECT_EQ(tallies[5].held, 2U);
  EXPECT_NEAR(tallies[5].times_first.mean, std::cbrt(16.0), 1e-12);
  EXPECT_DOUBLE_EQ(tallies[4].times_first.mean, 1);
}

// The multiple would be one of 30.
TEST(Tally, PrintsNoMultipleOfANetRegretThatIsSmallOrNegative) {
  ArenaOptions options;
  options.policies = {"dcm-ts", "dcm-kl-ucb"};
  const auto printed = [&](double best, double other) {
    ArenaResult result;
    result.worlds = {outcome(random_world("dcm", 1, 1), best, other)};
    result.tallies = tallies_of(result.worlds);
    EXPECT_DOUBLE_EQ(result.tallies[1].worst_times, other / std::max(best, 30.0));
    return tally_table(options, result)[2].back();
  };
  EXPECT_EQ(printed(30, 90), "3.00");
  EXPECT_EQ(printed(29, 90), "-");
  EXPECT_EQ(printed(-500, 900), "-");
}

WorldOutcome unjudged(const World& world) {
  return {world, std::nullopt,
          standings_of({regrets({900, 900}, .5), regrets({9, 9}, .5)}, std::nullopt)};
}

TEST(Tally, LeavesOutWorldsWhoseFloorIsNotKnown) {
  const auto tallies =
      tallies_of({outcome(random_world("dcm", 1, 1), 100, 800), unjudged(random_world("dcm", 1, 2)),
                  unjudged(random_world("pbm", 1, 1))});
  EXPECT_EQ(tallies[1].worlds, 1U);
  EXPECT_DOUBLE_EQ(tallies[1].times_first.mean, 8);
  EXPECT_EQ(tallies[2].kind, "pbm");
  EXPECT_EQ(tallies[2].worlds, 0U);
  EXPECT_TRUE(std::isnan(tallies[2].times_first.mean));
  EXPECT_EQ(tallies[2].worst, "");
  EXPECT_EQ(tallies[5].worlds, 1U);
  EXPECT_DOUBLE_EQ(tallies[5].times_first.mean, 8);
}

TEST(ArenaReport, HasNothingWhereAVerdictWouldNeedTheFloor) {
  ArenaOptions options;
  options.policies = {"dcm-ts", "dcm-kl-ucb"};
  ArenaResult result;
  result.worlds = {outcome(random_world("dcm", 1, 1), 100, 800),
                   unjudged(random_world("pbm", 1, 1))};
  result.tallies = tallies_of(result.worlds);

  const auto json = arena_to_json(options, result);
  const auto& world = json["worlds"][1];
  EXPECT_TRUE(world["best_sorted"]["regret"].is_null());
  const auto& policy = world["policies"][0];
  EXPECT_EQ(policy["regret"]["mean"], 900);
  for (const char* field : {"linear_runs", "times_first", "holds"}) {
    EXPECT_TRUE(policy[field].is_null()) << field;
  }
  EXPECT_TRUE(policy["net_regret"]["mean"].is_null());
  EXPECT_TRUE(policy["net_regret"]["stderr"].is_null());
  EXPECT_TRUE(policy["times_best"]["mean"].is_null());
  EXPECT_EQ(json["worlds"][0]["policies"][0]["holds"], true);
  EXPECT_TRUE(json["summary"][2]["times_first"]["mean"].is_null());
  EXPECT_TRUE(json["summary"][2]["worst"].is_null());

  const std::string csv = to_csv(arena_rows(options, result));
  EXPECT_NE(csv.find(",no,,900,0,,,,,,,\n"), std::string::npos) << csv;

  EXPECT_EQ(world_table(result)[2],
            (std::vector<std::string>{"pbm-1", "pbm", "31", "6", "clicks", "-", "-", "-"}));
  const auto tally = tally_table(options, result)[3];
  EXPECT_EQ(std::vector(tally.begin() + 2, tally.end()),
            (std::vector<std::string>{"-", "-", "-", "-", "-"}));
  EXPECT_NE(unknown_floors_note(result).find("In 1 of 2 worlds"), std::string::npos);
  result.worlds.pop_back();
  EXPECT_EQ(unknown_floors_note(result), "");
}

TEST(PolicyAsRun, IsToldWhatItTakesAndWasNotGiven) {
  ArenaOptions options;
  const World world = random_world("ubm", 1, 1);
  EXPECT_EQ(policy_as_run("dcm-ts", options, world), "dcm-ts:order=problem");
  EXPECT_EQ(policy_as_run("dcm-ts:counting=em", options, world),
            "dcm-ts:counting=em,order=problem");
  EXPECT_EQ(policy_as_run("dcm-ts:order=learned", options, world), "dcm-ts:order=learned");
  EXPECT_EQ(policy_as_run("ranked-kl-ucb", options, world), "ranked-kl-ucb");
  EXPECT_EQ(policy_as_run("recommended", options, world), "recommended:order=problem");
  EXPECT_EQ(policy_as_run("dcm-ts:terminations=1", options, world), "dcm-ts:terminations=1");
  EXPECT_EQ(policy_as_run("pbm-ts", options, world), "pbm-ts:examination=problem");
  options.order_told = false;
  EXPECT_EQ(policy_as_run("dcm-ts", options, world), "dcm-ts");
}

TEST(Worlds, HaveDifferentNames) {
  std::vector<World> worlds(3, random_world("dcm", 1, 1));
  make_names_differ(worlds);
  EXPECT_EQ(worlds[0].name, "dcm-1");
  EXPECT_EQ(worlds[1].name, "dcm-1 (2)");
  EXPECT_EQ(worlds[2].name, "dcm-1 (3)");
}

class ArenaTest : public ::testing::Test {
 protected:
  ArenaTest()
      : out_(std::filesystem::path(testing::TempDir()) /
             testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::remove_all(out_);
    options_.policies = {"dcm-ts", "dcm-kl-ucb"};
    options_.steps = 300;
    options_.runs = 2;
    options_.seed = 1;
    options_.out = out_;
  }
  ~ArenaTest() override { std::filesystem::remove_all(out_); }

  std::string json() const {
    const std::vector<World> worlds{random_world("pbm", 1, 1), random_world("dcm", 1, 1),
                                    random_world("pbm", 1, 2)};
    return arena_to_json(options_, run_arena(worlds, options_, {})).dump();
  }

  std::filesystem::path out_;
  ArenaOptions options_;
};

TEST_F(ArenaTest, GivesTheSameFromCellsAndOnAnyNumberOfThreads) {
  options_.threads = 1;
  const std::string first = json();
  EXPECT_EQ(json(), first);
  options_.fresh = true;
  options_.threads = 3;
  EXPECT_EQ(json(), first);
  options_.seed = 2;
  EXPECT_NE(json(), first);
}

TEST_F(ArenaTest, GroupsWorldsByKind) {
  const auto result = nlohmann::ordered_json::parse(json());
  EXPECT_EQ(result["worlds"][0]["world"], "pbm-1");
  EXPECT_EQ(result["worlds"][1]["world"], "pbm-2");
  EXPECT_EQ(result["worlds"][2]["world"], "dcm-1");
}

}  // namespace
}  // namespace dcmrank
