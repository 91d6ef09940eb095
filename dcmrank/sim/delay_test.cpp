#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "dcmrank/sim/experiment.h"
#include "dcmrank/sim/simulation.h"
#include "dcmrank/users/dcm_users.h"

namespace dcmrank {
namespace {

const Dcm kDelayedDcm{{.6, .5, .4, .1, .9}, {.5, .1, .8}};
const Shape kDelayedShape{5, 3, 1000};

// Shows list t at step t and remembers what it is told, and when.
struct Recorder {
  std::uint64_t ranked = 0;
  std::vector<std::uint64_t> told;             // the step whose page arrived
  std::vector<std::uint64_t> told_after_rank;  // and how many lists had been shown by then
  std::vector<std::size_t> depths;

  void rank(Rng& /*rng*/, Ranking& ranking) {
    ++ranked;
    ranking.items = {0, 1, 2};
    ranking.proposed = {static_cast<Item>(ranked)};
  }
  void update(const Ranking& shown, Clicks clicks) {
    told.push_back(shown.proposed[0]);
    told_after_rank.push_back(ranked);
    depths.push_back(clicks.size());
  }
};

TEST(Delay, BringsEveryPageInOrderAndLateByItsLength) {
  for (const std::size_t delay : {0U, 1U, 7U}) {
    Simulation run(Recorder(), DcmUsers(kDelayedDcm, 1, 0), kDelayedShape, Rng(1), delay);
    run.advance(3);
    run.advance(100);
    const Recorder& seen = run.policy();
    ASSERT_EQ(seen.told.size(), 100 - delay);
    for (std::size_t i = 0; i < seen.told.size(); ++i) {
      EXPECT_EQ(seen.told[i], i + 1);
      EXPECT_EQ(seen.told_after_rank[i], i + 1 + delay);
    }
    EXPECT_EQ(run.last_ranking().proposed[0], 100U);
  }
}

TEST(Screens, AreAsDeepAsTheirChancesSay) {
  constexpr int kUsers = 30000;
  Simulation run(Recorder(), DcmUsers(kDelayedDcm, 1, 0, {.2, 0, .8}), kDelayedShape, Rng(1));
  run.advance(kUsers);
  std::vector<int> seen(4);
  for (const std::size_t depth : run.policy().depths) ++seen[depth];
  EXPECT_NEAR(seen[1] / double{kUsers}, .2, 4 * std::sqrt(.16 / kUsers));
  EXPECT_EQ(seen[2], 0);
  EXPECT_EQ(seen[1] + seen[3], kUsers);
}

TEST(Screens, RewardAsOftenAsTheExpectedRewardSays) {
  constexpr int kUsers = 100000;
  const DcmUsers users(kDelayedDcm, 2, 0, {.3, .3, .4});
  Simulation run(Recorder(), users, kDelayedShape, Rng(1));
  run.advance(kUsers);
  const double p = users.expected_reward(std::vector<Item>{0, 1, 2});
  EXPECT_NEAR(static_cast<double>(run.reward()) / kUsers, p, 4 * std::sqrt(p * (1 - p) / kUsers));
}

// Users of whom only the first positions are seen are the same users: they click there alike.
TEST(Screens, DoNotChangeTheUsers) {
  const DcmUsers all(kDelayedDcm, 3, 0);
  const DcmUsers some(kDelayedDcm, 3, 0, {0, 1, 0});
  const std::vector<Item> list{0, 4, 2};
  std::vector<std::uint8_t> clicks(3);
  std::vector<std::uint8_t> seen(2);
  for (std::uint64_t t = 1; t < 1000; ++t) {
    ASSERT_EQ(some.depth(t), 2U);
    all.visit(t, list, clicks);
    some.visit(t, std::span(list).first(2), seen);
    EXPECT_EQ(seen[0], clicks[0]);
    EXPECT_EQ(seen[1], clicks[1]);
  }
}

TEST(Experiment, WithDelayAndShortScreensDoesNotDependOnThreads) {
  const std::vector<PolicySpec> policies{parse_policy_spec("recommended:order=problem"),
                                         parse_policy_spec("dcm-kl-ucb:terminations=problem")};
  ExperimentOptions options;
  options.steps = 500;
  options.runs = 5;
  options.seed = 9;
  options.delay = 20;
  options.depths = {.2, .3, .5};
  options.threads = 1;
  const auto one = compare(kDelayedDcm, policies, options);
  options.threads = 3;
  const auto three = compare(kDelayedDcm, policies, options);
  for (std::size_t p = 0; p < policies.size(); ++p) {
    EXPECT_EQ(one[p].regret_per_run, three[p].regret_per_run);
    EXPECT_EQ(one[p].policy, policies[p].text);
  }
}

TEST(PolicyCase, TellsAPolicyWhatTheSimulationKnows) {
  const auto regrets = [](const char* spec) {
    ExperimentOptions options;
    options.steps = 300;
    options.runs = 3;
    const std::vector<PolicySpec> policies{parse_policy_spec(spec)};
    return compare(kDelayedDcm, policies, options)[0].regret_per_run;
  };
  EXPECT_EQ(regrets("dcm-ts:order=problem"), regrets("dcm-ts:order=3,1,2"));
  EXPECT_EQ(regrets("dcm-ts:terminations=problem"), regrets("dcm-ts:terminations=0.5,0.1,0.8"));
  EXPECT_NE(regrets("dcm-ts:order=problem"), regrets("dcm-ts"));
}

}  // namespace
}  // namespace dcmrank
