#include "dcmrank/sim/checked_policy.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/blame.h"
#include "dcmrank/base/error.h"

namespace dcmrank {
namespace {

// Shows a valid list once, then this one.
struct Careless {
  std::vector<Item> list;
  int round = 0;
  void rank(Rng& /*rng*/, Ranking& ranking) {
    ranking.items = round++ == 0 ? std::vector<Item>{0, 1} : list;
  }
  void update(const Ranking& /*shown*/, Clicks /*clicks*/) {}
};

std::string policy_refusal(const std::vector<Item>& list) {
  CheckedPolicy policy(Careless{list}, "mine:a=1", {3, 2, 100});
  Rng rng(1);
  Ranking ranking;
  try {
    policy.rank(rng, ranking);
    policy.rank(rng, ranking);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(CheckedPolicy, NamesThePolicyTheRoundAndWhatIsWrongWithAList) {
  EXPECT_EQ(policy_refusal({2, 1}), "");
  EXPECT_EQ(policy_refusal({2, 2}), "policy 'mine:a=1', round 2: its list has item 2 twice");
  EXPECT_EQ(policy_refusal({2, 3}),
            "policy 'mine:a=1', round 2: its list has item 3; items are numbered from 0 to 2");
  EXPECT_EQ(policy_refusal({2}), "policy 'mine:a=1', round 2: its list has 1 item for 2 positions");
  EXPECT_EQ(policy_refusal({}), "policy 'mine:a=1', round 2: its list has 0 items for 2 positions");
  EXPECT_EQ(policy_refusal({2, 1, 0}),
            "policy 'mine:a=1', round 2: its list has 3 items for 2 positions");
}

class Own : public std::logic_error {
  using std::logic_error::logic_error;
};

struct Failing {
  void rank(Rng& /*rng*/, Ranking& ranking) { ranking.items = {0, 1}; }
  void update(const Ranking& /*shown*/, Clicks clicks) {
    if (clicks[0] == 1) throw std::logic_error("no such item");
    if (clicks[0] == 2) throw std::out_of_range("no such place");
    if (clicks[0] == 3) throw Own("mine");
    if (clicks[0] == 4) throw 3;
    throw InputError("no clicks");
  }
};

TEST(CheckedPolicy, NamesThePolicyAndTheRoundOfWhatItThrows) {
  CheckedPolicy policy(Failing{}, "mine", {3, 2, 100});
  Rng rng(1);
  Ranking ranking;
  policy.rank(rng, ranking);
  const auto message = [&](std::uint8_t click) -> std::string {
    try {
      policy.update(ranking, std::vector<std::uint8_t>{click, 0});
    } catch (const InputError& error) {
      return fmt::format("input: {}", error.what());
    } catch (const Own& error) {
      return fmt::format("own: {}", told(error));
    } catch (const std::out_of_range& error) {
      return fmt::format("range: {}", told(error));
    } catch (const std::exception& error) {
      return fmt::format("fault: {}", error.what());
    }
    return "";
  };
  EXPECT_EQ(message(1), "fault: policy 'mine', round 1: no such item");
  EXPECT_EQ(message(2), "range: policy 'mine', round 1: no such place");
  EXPECT_EQ(message(3), "own: policy 'mine', round 1: mine");
  EXPECT_EQ(message(4),
            "fault: policy 'mine', round 1: it threw something that is no std::exception");
  EXPECT_EQ(message(0), "input: policy 'mine', round 1: no clicks");
}

struct Reluctant {
  bool wants_initial_sample() const { throw std::out_of_range("not now"); }
  void observe_initial(std::span<const std::uint8_t> /*sample*/) {}
  void rank(Rng& /*rng*/, Ranking& ranking) { ranking.items = {0, 1}; }
  void update(const Ranking& /*shown*/, Clicks /*clicks*/) {}
};

TEST(CheckedPolicy, IsNamedForWhatItThrowsBeforeTheFirstRound) {
  const CheckedPolicy policy(Reluctant{}, "mine", {3, 2, 100});
  try {
    policy.wants_initial_sample();
    FAIL();
  } catch (const std::out_of_range& error) {
    EXPECT_EQ(told(error), "policy 'mine', before round 1: not now");
  }
}

TEST(Told, IsTheMessageOfAnExceptionOfWhichNothingWasNoted) {
  EXPECT_EQ(told(std::runtime_error("boom")), "boom");
  EXPECT_EQ(told(std::runtime_error("")), "an exception without a message");
}

TEST(Told, KnowsWhoThrewEachOfManyThatFlyAtOnce) {
  std::vector<std::unique_ptr<std::out_of_range>> flying;
  for (int n = 0; n < 100; ++n) {
    flying.push_back(std::make_unique<std::out_of_range>("boom"));
    blame(*flying.back(), "another");
    blame(*flying.back(), fmt::format("run {}", n));
  }
  for (int n = 0; n < 100; ++n) {
    EXPECT_EQ(told(*flying[static_cast<std::size_t>(n)]), fmt::format("run {}: boom", n));
  }
}

}  // namespace
}  // namespace dcmrank
