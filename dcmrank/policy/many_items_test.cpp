// What every_policy_test.cpp asks, where there are so many items that lists are found in other
// ways.
#include <algorithm>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dcmrank/io/json.h"
#include "dcmrank/model/users.h"
#include "dcmrank/policy/registry.h"
#include "dcmrank/sim/simulation.h"

namespace dcmrank {
namespace {

const Shape kShape{450, 4, 5000};

const Dcm kProblem = make_dcm({kShape.items, kShape.positions, .2, .15, .5});

// A policy and its users, whose feedback comes late by some steps.
class Actor {
 public:
  explicit Actor(const std::string& spec, std::uint64_t seed = 1, std::size_t delay = 0)
      : spec_(parse_policy_spec(spec)),
        policy_(make_policy(spec_, kShape)),
        users_(kProblem, seed, 0),
        rng_(seed),
        delay_(delay) {
    std::vector<std::uint8_t> sample(kShape.items);
    users_.initial_sample(sample);
    std::visit(
        [&](auto& p) {
          if (p.wants_initial_sample()) p.observe_initial(sample);
        },
        policy_);
  }

  Ranking rank() {
    Ranking ranking;
    std::visit([&](auto& p) { p.rank(rng_, ranking); }, policy_);
    return ranking;
  }

  std::vector<Ranking> act(int steps) {
    const std::size_t before = shown_.size();
    for (int i = 0; i < steps; ++i) {
      shown_.push_back(rank());
      if (shown_.size() > delay_) learn(shown_[shown_.size() - 1 - delay_]);
    }
    return {shown_.begin() + static_cast<std::ptrdiff_t>(before), shown_.end()};
  }

  nlohmann::ordered_json saved() const { return save_policy(spec_, kShape, policy_); }
  void replace_policy(AnyPolicy policy) { policy_ = std::move(policy); }

 private:
  void learn(const Ranking& ranking) {
    std::vector<std::uint8_t> clicks(kShape.positions);
    users_.visit(++step_, ranking.items, clicks);
    std::visit([&](auto& p) { p.update(ranking, clicks); }, policy_);
  }

  PolicySpec spec_;
  AnyPolicy policy_;
  DcmUsers users_;
  Rng rng_;
  std::size_t delay_;
  std::vector<Ranking> shown_;
  std::uint64_t step_ = 0;
};

class ManyItems : public testing::TestWithParam<std::string> {};

TEST_P(ManyItems, AreShownAsDistinctValidItems) {
  Actor actor(GetParam());
  for (const Ranking& ranking : actor.act(1500)) {
    ASSERT_EQ(ranking.items.size(), kShape.positions);
    const std::set<Item> distinct(ranking.items.begin(), ranking.items.end());
    ASSERT_EQ(distinct.size(), kShape.positions);
    ASSERT_LT(*distinct.rbegin(), kShape.items);
  }
}

TEST_P(ManyItems, AreShownAlikeForTheSameSeed) {
  EXPECT_EQ(Actor(GetParam(), 7).act(600), Actor(GetParam(), 7).act(600));
  EXPECT_NE(Actor(GetParam(), 7).act(600), Actor(GetParam(), 8).act(600));
}

TEST_P(ManyItems, AreNotLearnedFromRanking) {
  Actor actor(GetParam());
  for (int i = 0; i < 100; ++i) {
    const std::string before = print_json(actor.saved());
    actor.rank();
    ASSERT_EQ(print_json(actor.saved()), before) << i;
    actor.act(10);
  }
}

TEST_P(ManyItems, AreShownAfterSaveAndLoadAsIfNothingHappened) {
  for (const std::size_t delay : {0U, 20U}) {
    Actor whole(GetParam(), 1, delay);
    Actor split(GetParam(), 1, delay);
    for (int i = 0; i < 12; ++i) {
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
  Actor actor(GetParam(), 3);
  actor.act(9000);
  double sum = 0;
  for (const Ranking& ranking : actor.act(1000)) {
    for (const Item e : ranking.items) sum += kProblem.attraction[e];
  }
  EXPECT_GT(sum / (1000. * static_cast<double>(kShape.positions)), .07);
}

INSTANTIATE_TEST_SUITE_P(Policies, ManyItems,
                         testing::Values("dcm-ts", "dcm-ots", "dcm-ots:placement=paper",
                                         "dcm-ts:init=first-position", "dcm-ts:counting=prefix",
                                         "dcm-ts:counting=revised-em,placement=cheapest",
                                         "dcm-ts:order=learned", "dcm-kl-ucb:placement=cheapest",
                                         "dcm-kl-ucb-plus:placement=cheapest,order=learned"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace_if(
                               name.begin(), name.end(),
                               [](char c) { return std::isalnum(c) == 0; }, '_');
                           return name;
                         });

}  // namespace
}  // namespace dcmrank
