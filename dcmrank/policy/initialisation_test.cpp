// The two initialisations of dcmKL-UCB, and what they have in common with cascading bandits.
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dcmrank/registry/built_in.h"
#include "dcmrank/registry/registry.h"
#include "dcmrank/sim/simulation.h"
#include "dcmrank/users/dcm_users.h"

namespace dcmrank {
namespace {

const Dcm kStartedDcm{{.6, .5, .4, .1, .9}, {.5, .1, .8}};
const Shape kStartedShape{5, 3, 1000};

DcmKlUcb policy(const std::string& spec) {
  return *make_policy(parse_policy_spec(spec), kStartedShape).as<DcmKlUcb>();
}

TEST(FreeInitialisation, StartsFromTheSampleOfTimeZero) {
  const DcmUsers users(kStartedDcm, 1, 0);
  Simulation run(policy("dcm-kl-ucb"), users, kStartedShape, Rng(1));
  const auto counts = run.policy().save()["counts"];
  for (Item e = 0; e < kStartedShape.items; ++e) {
    EXPECT_EQ(counts["observed"][e], 1);
    EXPECT_EQ(counts["attracted"][e], users.attracted(0, e) ? 1 : 0);
  }
}

TEST(FirstPositionInitialisation, ShowsItemTAtPositionOneInStepT) {
  const DcmUsers users(kStartedDcm, 1, 0);
  Simulation run(policy("dcm-kl-ucb:init=first-position"), users, kStartedShape, Rng(1));
  for (Item t = 1; t <= kStartedShape.items; ++t) {
    run.advance(t);
    EXPECT_EQ(run.last_ranking().items[0], t - 1);
  }
  const auto counts = run.policy().save()["counts"];
  for (Item e = 0; e < kStartedShape.items; ++e) {
    EXPECT_EQ(counts["observed"][e], 1);
    EXPECT_EQ(counts["attracted"][e], users.attracted(e + 1, e) ? 1 : 0);
  }
  EXPECT_GT(run.regret(), 0);  // these steps are steps: their regret counts
}

// What is shown in the first steps does not depend on when their clicks come.
TEST(FirstPositionInitialisation, GivesEveryItemItsSampleThoughFeedbackIsLate) {
  for (const std::size_t delay : {1U, 3U, 20U}) {
    const DcmUsers users(kStartedDcm, 1, 0);
    Simulation run(policy("dcm-kl-ucb:init=first-position"), users, kStartedShape, Rng(1), delay);
    for (Item t = 1; t <= kStartedShape.items; ++t) {
      run.advance(t);
      EXPECT_EQ(run.last_ranking().items[0], t - 1) << "delay " << delay;
    }
    run.advance(kStartedShape.items +
                delay);  // by now the clicks of these steps, and no others, have come
    const auto counts = run.policy().save()["counts"];
    for (Item e = 0; e < kStartedShape.items; ++e) {
      EXPECT_EQ(counts["observed"][e], 1) << "delay " << delay;
      EXPECT_EQ(counts["attracted"][e], users.attracted(e + 1, e) ? 1 : 0);
    }
  }
}

// Where the user leaves at the first click (all terminations 1), keeping the first click, the last
// click or all of them is the same: CascadeKL-UCB on the cascade model.
TEST(Counting, IsTheSameForAllOnTheCascadeModel) {
  const Dcm cascade{{.6, .5, .4, .1, .9}, {1, 1, 1}};
  const auto state = [&](const std::string& spec) {
    Simulation run(policy(spec), DcmUsers(cascade, 4, 0), kStartedShape, Rng(4));
    run.advance(2000);
    return run.policy().save();
  };
  EXPECT_EQ(state("dcm-kl-ucb"), state("first-click"));
  EXPECT_EQ(state("dcm-kl-ucb"), state("last-click"));
}

}  // namespace
}  // namespace dcmrank
