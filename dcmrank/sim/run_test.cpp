#include "dcmrank/sim/run.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/blame.h"
#include "dcmrank/base/error.h"
#include "dcmrank/model/dcm.h"
#include "dcmrank/sim/report.h"

namespace dcmrank {
namespace {

const Problem& small_problem() {
  static const Problem problem = Dcm{{.6, .5, .4, .1}, {.5, .1}};
  return problem;
}

ExperimentOptions five_runs() {
  ExperimentOptions options{.steps = 300, .runs = 5, .seed = 3};
  options.curves_per_run = true;
  return options;
}

PolicyResult compared(const std::string& policy) {
  return compare(small_problem(), std::vector{parse_policy_spec(policy)}, five_runs()).front();
}

std::string without_time(PolicyResult result) {
  result.ns_per_step = 0;
  return result_to_json(result).dump();
}

TEST(SimulateRun, RunsInAnyOrderAreTheResultOfCompare) {
  std::vector<RunTrace> traces(5);
  for (const std::uint64_t run : {3U, 0U, 4U, 1U, 2U}) {
    traces[run] = simulate_run(small_problem(), parse_policy_spec("dcm-ts"), five_runs(), run);
  }
  const auto whole = compared("dcm-ts");
  EXPECT_EQ(without_time(summarise_runs("dcm-ts", traces, five_runs())), without_time(whole));
}

// Shows the same list for ever, which may be a wrong one.
struct Stubborn {
  std::vector<Item> list;
  void rank(Rng& /*rng*/, Ranking& ranking) const { ranking.items = list; }
  static void update(const Ranking& /*shown*/, Clicks /*clicks*/) {}
};

TEST(SimulateRun, ChecksTheListsOfAPolicyThatNoRegistryKnows) {
  const auto trace = simulate_run(small_problem(), Stubborn{{0, 1}}, "mine", five_runs(), 0);
  EXPECT_EQ(trace.curve.back(), 0);
  try {
    simulate_run(small_problem(), Stubborn{{1, 1}}, "mine", five_runs(), 0);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "policy 'mine', round 1: its list has item 1 twice");
  }
}

// Users of somebody else.
struct Odd {
  double best = 1;
  double reward = 1;
  bool throws = false;
  double more = 0;  // than is expected, by chance or always
  bool always = false;
  std::uint8_t click = 0;
  std::uint8_t attracted = 0;
  std::size_t deep = 2;
  std::size_t depth(std::uint64_t /*t*/) const { return deep; }
  double visit(std::uint64_t t, std::span<const Item> /*list*/,
               std::span<std::uint8_t> clicks) const {
    if (throws) throw std::out_of_range("boom");
    std::fill(clicks.begin(), clicks.end(), std::uint8_t{0});
    if (t == 9) clicks.back() = click;
    return reward + (always || mix64(t) % 2 == 0 ? more : -more);
  }
  void initial_sample(std::span<std::uint8_t> sample) const { sample.back() = attracted; }
  double expected_reward(std::span<const Item> /*list*/) const { return reward; }
  double best_expected_reward() const { return best; }
};

template <class P = Stubborn>
std::string said_of_users(const Odd& odd, std::uint64_t steps = 300, P policy = {{0, 1}}) {
  const Problem problem(
      OtherUsers{"odd", 4, 2, "{}", [odd](std::uint64_t, std::uint64_t) { return AnyUsers(odd); }});
  try {
    simulate_run(problem, policy, "mine", {.steps = steps, .runs = 5, .seed = 3}, 3);
  } catch (const std::exception& error) {
    return told(error);
  }
  return "";
}

TEST(SimulateRun, NamesTheUsersOfOthersForWhatTheyDoWrong) {
  const std::string who = "users of the model 'odd', run 3 of policy 'mine': ";
  EXPECT_EQ(said_of_users({}), "");
  try {  // another's, which may have been at the same place in memory
    throw std::out_of_range("boom");
  } catch (const std::exception& error) {
    blame(error, "policy 'before'");
  }
  EXPECT_EQ(said_of_users({.throws = true}), who + "boom");
  EXPECT_EQ(said_of_users({.reward = NAN}), who + "they gave a reward that is not a number");
  EXPECT_EQ(said_of_users({.best = 0.5}),
            who + "the regret is -150, so that lists had a higher expected reward than the best");
}

TEST(SimulateRun, BelievesNoExpectedRewardThatVisitsContradict) {
  EXPECT_EQ(said_of_users({.more = 0.5}, 20000), "");
  EXPECT_EQ(said_of_users({.more = 0.01, .always = true}, 20000),
            "users of the model 'odd', run 3 of policy 'mine': visit gave rewards of 20200 in all, "
            "where expected_reward of the same lists says 20000");
}

// Begins with the free sample.
struct Sampled : Stubborn {
  static bool wants_initial_sample() { return true; }
  static void observe_initial(std::span<const std::uint8_t> /*sample*/) {}
};

TEST(SimulateRun, RefusesClicksOfUsersThatAreNotZeroOrOneAndMorePositionsThanAListHas) {
  const std::string who = "users of the model 'odd', run 3 of policy 'mine': ";
  EXPECT_EQ(said_of_users({.click = 1}), "");
  EXPECT_EQ(said_of_users({.click = 7}),
            who + "visit of user 9 gave the click 7 at position 2, not 0 or 1");
  EXPECT_EQ(said_of_users({.attracted = 7}), "");
  EXPECT_EQ(said_of_users({.attracted = 1}, 300, Sampled{{{0, 1}}}), "");
  EXPECT_EQ(said_of_users({.attracted = 7}, 300, Sampled{{{0, 1}}}),
            who + "initial_sample gave 7 for item 3, not 0 or 1");
  EXPECT_EQ(said_of_users({.deep = 1}), "");
  EXPECT_EQ(said_of_users({.deep = 3}), who + "depth of user 1 is 3, of 2 positions");
}

class Play : public testing::TestWithParam<const char*> {};

TEST_P(Play, RoundsInPiecesAreARunOfCompare) {
  const PolicySpec spec = parse_policy_spec(GetParam());
  AnyPolicy policy = make_policy(spec, case_of(small_problem(), 300));
  Rng rng(stream_key(Stream::kPolicy, 3, 0));
  RunSoFar so_far;
  bool first = true;
  for (const std::uint64_t rounds : {1U, 99U, 200U}) {
    play(small_problem(), policy, rng, 3, 0, rounds, std::exchange(first, false), so_far);
  }
  EXPECT_EQ(so_far.step, 300U);
  EXPECT_EQ(so_far.regret, compared(GetParam()).regret_per_run.front());
}

INSTANTIATE_TEST_SUITE_P(Policies, Play,
                         testing::Values("dcm-kl-ucb", "dcm-ts", "recommended", "ranked-exp3"));

TEST(Play, SaysHowFarItCameWhenItIsStopped) {
  AnyPolicy policy = make_policy(parse_policy_spec("dcm-ts"), case_of(small_problem(), 300));
  Rng rng(1);
  RunSoFar so_far;
  std::stop_source stop;
  play(small_problem(), policy, rng, 3, 0, 10, true, so_far, {stop.get_token(), nullptr});
  stop.request_stop();
  EXPECT_THROW(
      play(small_problem(), policy, rng, 3, 0, 10, false, so_far, {stop.get_token(), nullptr}),
      Interrupted);
  EXPECT_EQ(so_far.step, 10U);
}

TEST(ExperimentFromJson, AreTheResultsThatWereWritten) {
  const std::vector results{compared("dcm-ts"), compared("dcm-kl-ucb")};
  const auto json = results_to_json(small_problem(), five_runs(), results);
  const ExperimentReport read = experiment_from_json(json, "file");
  EXPECT_EQ(results_to_json(read.problem, read.options, read.results), json);
}

TEST(ExperimentFromJson, RefusesWhatItsWriterWouldNotHaveWritten) {
  const auto json = results_to_json(small_problem(), five_runs(), std::vector{compared("dcm-ts")});
  const auto refused = [&](const char* field, const nlohmann::ordered_json& value) {
    auto wrong = json;
    wrong[field] = value;
    try {
      experiment_from_json(wrong, "file");
      return std::string("taken");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(refused("version", 2), "file: \"version\" is 2, not 1");
  EXPECT_EQ(refused("format", "x"), "file: \"format\" is not \"dcmrank.simulation\"");
  EXPECT_EQ(refused("runs", 6U), "file: \"per_run\" does not have an entry for each run");
  EXPECT_EQ(refused("policies", nlohmann::ordered_json::array()), "file: \"policies\" is empty");
  EXPECT_TRUE(refused("problem", 3).starts_with("file: \"problem\""));
  EXPECT_TRUE(refused("steps", -1).starts_with("file: \"steps\" is '-1'"));
  EXPECT_TRUE(refused("steps", 1e300).starts_with("file: \"steps\" is '1e+300'"));
  const auto& one = json["policies"][0];
  EXPECT_EQ(refused("policies", {one, one}), "file: policy 'dcm-ts' occurs twice");
  const auto refused_curve = [&](const char* field, const nlohmann::ordered_json& value) {
    auto wrong = one;
    wrong["curve"][field] = value;
    return refused("policies", nlohmann::ordered_json::array({wrong}));
  };
  const std::size_t steps = one["curve"]["step"].size();
  auto step = one["curve"]["step"];
  step[0] = -1;
  EXPECT_NE(refused_curve("step", step).find("step[0] is '-1'"), std::string::npos);
  step[0] = 1e300;
  EXPECT_NE(refused_curve("step", step).find("step[0] is '1e+300'"), std::string::npos);
  step[0] = step[steps - 1];
  EXPECT_NE(refused_curve("step", step).find("does not increase"), std::string::npos);
  step = one["curve"]["step"];
  step[steps - 1] = 301U;
  EXPECT_EQ(refused_curve("step", step),
            "file: \"step\" of the curve goes to 301, beyond \"steps\", 300");
  const nlohmann::ordered_json few(steps, nlohmann::ordered_json::array({1, 2}));
  EXPECT_NE(refused_curve("per_run", few).find("a number for each run"), std::string::npos);
  EXPECT_THROW(experiment_from_json(nlohmann::ordered_json::array(), "file"), InputError);
}

}  // namespace
}  // namespace dcmrank
