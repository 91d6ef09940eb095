#include "dcmrank/sim/experiment.h"

#include <atomic>
#include <stop_token>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/error.h"
#include "dcmrank/base/json.h"
#include "dcmrank/sim/report.h"

namespace dcmrank {
namespace {

const Dcm kTriedDcm = make_dcm({.items = 8, .positions = 3, .p = .3, .gap = .2, .gamma = .5});

std::vector<PolicySpec> specs(const std::vector<std::string>& names) {
  std::vector<PolicySpec> result;
  for (const std::string& name : names) result.push_back(parse_policy_spec(name));
  return result;
}

std::vector<PolicyResult> run(const std::vector<std::string>& names, unsigned threads = 2,
                              std::uint64_t seed = 1, std::uint64_t runs = 6) {
  return compare(kTriedDcm, specs(names),
                 {.steps = 700, .runs = runs, .seed = seed, .threads = threads});
}

// The bytes of the JSON without the timings.
std::string bytes(std::vector<PolicyResult> results) {
  for (PolicyResult& result : results) result.ns_per_step = 0;
  return print_json(results_to_json(kTriedDcm, {700, 6, 1, 0}, results));
}

const std::vector<std::string> kAll{"dcm-kl-ucb", "first-click", "last-click", "ranked-kl-ucb",
                                    "ranked-exp3"};

TEST(Compare, GivesTheSameBytesForAnyNumberOfThreads) {
  const std::string expected = bytes(run(kAll, 1));
  for (const unsigned threads : {2U, 3U, 16U}) EXPECT_EQ(bytes(run(kAll, threads)), expected);
}

TEST(Compare, GivesAPolicyTheSameResultAloneAndInCompany) {
  const auto together = run(kAll);
  for (std::size_t i = 0; i < kAll.size(); ++i) {
    EXPECT_EQ(run({kAll[i]})[0].regret_per_run, together[i].regret_per_run) << kAll[i];
  }
}

TEST(Compare, GivesARunTheSameResultWhateverTheNumberOfRuns) {
  const auto few = run({"dcm-kl-ucb"}, 2, 1, 2)[0].regret_per_run;
  const auto many = run({"dcm-kl-ucb"}, 2, 1, 6)[0].regret_per_run;
  EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin()));
}

TEST(Compare, DependsOnTheSeed) {
  EXPECT_NE(run({"dcm-kl-ucb"}, 2, 1)[0].regret_per_run,
            run({"dcm-kl-ucb"}, 2, 2)[0].regret_per_run);
}

TEST(Compare, SummarisesTheRuns) {
  const PolicyResult result = run({"dcm-kl-ucb"})[0];
  const Summary summary = summarise(result.regret_per_run);
  EXPECT_EQ(result.regret.mean, summary.mean);
  EXPECT_EQ(result.regret.stderr_, summary.stderr_);
  EXPECT_EQ(result.curve.back().mean, summary.mean);
  EXPECT_EQ(result.curve_steps.back(), 700U);
  for (std::size_t i = 1; i < result.curve.size(); ++i) {
    EXPECT_GE(result.curve[i].mean, result.curve[i - 1].mean);
  }
  EXPECT_GT(result.ns_per_step, 0);
}

TEST(Compare, CountsTheStepsItHasDone) {
  std::atomic<std::uint64_t> done = 0;
  compare(kTriedDcm, specs({"dcm-kl-ucb", "first-click"}), {.steps = 700, .runs = 3, .seed = 1},
          {{}, &done});
  EXPECT_EQ(done, 2U * 3 * 700);
}

TEST(Compare, StopsWhenAsked) {
  std::stop_source source;
  source.request_stop();
  EXPECT_THROW(
      compare(kTriedDcm, specs({"dcm-kl-ucb"}), {.steps = 1'000'000'000, .runs = 3, .seed = 1},
              {source.get_token(), nullptr}),
      Interrupted);
}

TEST(Compare, RefusesToDoNothing) {
  for (const ExperimentOptions& options :
       {ExperimentOptions{.steps = 0, .runs = 1}, ExperimentOptions{.steps = 1, .runs = 0}}) {
    EXPECT_THROW(compare(kTriedDcm, specs({"dcm-ts"}), options), InputError);
  }
}

TEST(Compare, RefusesAPolicyBeforeTheWork) {
  std::atomic<std::uint64_t> done = 0;
  EXPECT_THROW(compare(kTriedDcm, specs({"dcm-kl-ucb", "nonsense"}),
                       {.steps = 10, .runs = 1, .seed = 1}, {{}, &done}),
               InputError);
  EXPECT_EQ(done, 0U);
}

TEST(Report, IsReadBackAsItWas) {
  for (const std::uint64_t runs : {1ULL, 3ULL}) {
    const auto json = result_to_json(run({"dcm-kl-ucb"}, 2, 1, runs)[0]);
    const auto text = print_json(json);
    EXPECT_EQ(print_json(result_to_json(result_from_json(parse_json(text, "text")))), text);
  }
}

TEST(Report, HasNoStandardErrorOfOneRun) {
  const auto json = result_to_json(run({"dcm-kl-ucb"}, 2, 1, 1)[0]);
  EXPECT_TRUE(json["regret"]["stderr"].is_null());
  EXPECT_TRUE(json["reward"]["stderr"].is_null());
  for (const auto& error : json["curve"]["stderr"]) EXPECT_TRUE(error.is_null());
}

TEST(Report, WritesACurveAsRows) {
  PolicyResult result;
  result.policy = "a:order=2,1";
  result.curve_steps = {1, 10};
  result.curve = {{.5, .1}, {2, .25}};
  EXPECT_EQ(results_to_csv(std::vector{result}),
            "policy,step,regret_mean,regret_stderr\n"
            "\"a:order=2,1\",1,0.5,0.1\n"
            "\"a:order=2,1\",10,2,0.25\n");
}

TEST(Report, LeavesOutWhatALogarithmicAxisCannotShow) {
  PolicyResult result;
  result.curve_steps = {1, 10};
  result.curve = {{0, 0}, {2, .25}};
  EXPECT_EQ(results_to_figure("", Axes::kLinear, std::vector{result}).series[0].x.size(), 2U);
  EXPECT_EQ(results_to_figure("", Axes::kLogLog, std::vector{result}).series[0].x.size(), 1U);
}

}  // namespace
}  // namespace dcmrank
