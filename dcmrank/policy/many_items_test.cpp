// What every_policy_test.cpp asks, where there are so many items that lists are found in other
// ways.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/effort_test.h"
#include "dcmrank/base/json.h"
#include "dcmrank/policy/acting_test.h"

namespace dcmrank {
namespace {

const Shape kManyShape{450, 4, 5000};

const Dcm kManyProblem = make_dcm({kManyShape.items, kManyShape.positions, .2, .15, .5});

class ManyActor : public ActingPolicy {
 public:
  explicit ManyActor(const std::string& spec, std::uint64_t seed = 1, std::size_t delay = 0)
      : ActingPolicy(kManyProblem, kManyShape, spec, seed, delay) {}
};

class ManyItems : public testing::TestWithParam<std::string> {};

TEST_P(ManyItems, AreShownAsDistinctValidItems) {
  ManyActor actor(GetParam());
  expect_valid(actor.act(1500), kManyShape);
}

TEST_P(ManyItems, AreShownAlikeForTheSameSeed) {
  EXPECT_EQ(ManyActor(GetParam(), 7).act(600), ManyActor(GetParam(), 7).act(600));
  EXPECT_NE(ManyActor(GetParam(), 7).act(600), ManyActor(GetParam(), 8).act(600));
}

// But for how far an initialisation has come (policy.h).
TEST_P(ManyItems, AreNotLearnedFromRanking) {
  const auto learned = [](const ManyActor& actor) {
    auto saved = actor.saved();
    saved["state"].erase("shown");
    return print_json(saved);
  };
  ManyActor actor(GetParam());
  for (int i = 0; i < effort(100, 5); ++i) {
    const std::string before = learned(actor);
    actor.rank();
    ASSERT_EQ(learned(actor), before) << i;
    actor.act(10);
  }
}

TEST_P(ManyItems, AreShownAfterSaveAndLoadAsIfNothingHappened) {
  for (const std::size_t delay : {0U, 20U}) {
    ManyActor whole(GetParam(), 1, delay);
    ManyActor split(GetParam(), 1, delay);
    for (int i = 0; i < effort(12, 4); ++i) {
      const std::string file = print_json(split.saved());
      split.replace_policy(load_policy(parse_json(file, "state")));
      ASSERT_EQ(print_json(split.saved()), file);
      ASSERT_EQ(split.act(i == 0 ? 3 : 100), whole.act(i == 0 ? 3 : 100)) << i;
    }
    EXPECT_EQ(print_json(split.saved()), print_json(whole.saved()));
  }
}

// The mean attraction of the list: at random .0513, at best .2; KL-UCB is slow.
TEST_P(ManyItems, AreLearned) {
  ManyActor actor(GetParam(), 3);
  actor.act(9000);
  double sum = 0;
  for (const Ranking& ranking : actor.act(1000)) {
    for (const Item e : ranking.items) sum += kManyProblem.attraction[e];
  }
  EXPECT_GT(sum / (1000. * static_cast<double>(kManyShape.positions)), .07);
}

INSTANTIATE_TEST_SUITE_P(Policies, ManyItems,
                         testing::Values("dcm-ts", "dcm-ots", "dcm-ots:placement=paper",
                                         "dcm-ts:init=first-position", "dcm-ts:counting=prefix",
                                         "dcm-ts:counting=revised-em,placement=cheapest",
                                         "dcm-ts:order=learned", "dcm-kl-ucb:placement=cheapest",
                                         "dcm-kl-ucb-plus:placement=cheapest,order=learned"),
                         test_name);

}  // namespace
}  // namespace dcmrank
