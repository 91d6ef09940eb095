#include "dcmrank/sim/simulation.h"

#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/json.h"
#include "dcmrank/registry/built_in.h"
#include "dcmrank/registry/registry.h"
#include "dcmrank/users/dcm_users.h"

namespace dcmrank {
namespace {

const Dcm kSimulatedDcm{{.6, .5, .4, .1, .9}, {.5, .1, .8}};
const Shape kSimulatedShape{5, 3, 1000};

Simulation<DcmKlUcb, DcmUsers> simulation() {
  return {*make_policy(parse_policy_spec("dcm-kl-ucb"), kSimulatedShape).as<DcmKlUcb>(),
          DcmUsers(kSimulatedDcm, 1, 0), kSimulatedShape, Rng(1)};
}

TEST(Simulation, IsTheSameInOnePieceAndInMany) {
  auto whole = simulation();
  auto pieces = simulation();
  whole.advance(1000);
  for (std::uint64_t step = 0; step <= 1000; step += 25) pieces.advance(step);
  EXPECT_EQ(pieces.step(), 1000U);
  EXPECT_EQ(whole.regret(), pieces.regret());
  EXPECT_EQ(whole.reward(), pieces.reward());
  EXPECT_EQ(whole.policy().save(), pieces.policy().save());
}

// The policy is replaced in the middle by one that was written to a file and read back.
TEST(Simulation, SplitBySavingAndLoadingEqualsTheWhole) {
  auto whole = simulation();
  auto split = simulation();
  whole.advance(1000);
  split.advance(400);
  const PolicySpec spec = parse_policy_spec("dcm-kl-ucb");
  const std::string file = print_json(save_policy(spec, kSimulatedShape, split.policy()));
  split.policy() = *load_policy(parse_json(file, "file")).as<DcmKlUcb>();
  split.advance(1000);
  EXPECT_EQ(whole.regret(), split.regret());
  EXPECT_EQ(whole.reward(), split.reward());
  EXPECT_EQ(whole.policy().save(), split.policy().save());
}

// A policy that always shows the same list.
struct Fixed {
  std::vector<Item> list;
  void rank(Rng&, Ranking& ranking) const { ranking.items = list; }
  static void update(const Ranking&, Clicks) {}
};

TEST(Simulation, HasNoRegretForTheOptimalList) {
  Simulation run(Fixed{optimal_list(kSimulatedDcm)}, DcmUsers(kSimulatedDcm, 1, 0), kSimulatedShape,
                 Rng(1));
  run.advance(500);
  EXPECT_EQ(run.regret(), 0);
}

// Regret is the expectation; the sampled rewards agree with it on average.
TEST(Simulation, MeasuresRegretByTheExpectedReward) {
  const std::vector<Item> list{3, 2, 1};
  Simulation run(Fixed{list}, DcmUsers(kSimulatedDcm, 1, 0), kSimulatedShape, Rng(1));
  run.advance(20000);
  const double expected = expected_reward(kSimulatedDcm, list);
  const double best = expected_reward(kSimulatedDcm, optimal_list(kSimulatedDcm));
  EXPECT_NEAR(run.regret(), 20000 * (best - expected), 1e-6);
  EXPECT_NEAR(static_cast<double>(run.reward()) / 20000, expected,
              4 * std::sqrt(expected * (1 - expected) / 20000));
}

}  // namespace
}  // namespace dcmrank
