#include "dcmrank/sim/net_regret.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/error.h"
#include "dcmrank/sim/curve_steps.h"
#include "dcmrank/sim/report.h"
#include "dcmrank/sim/result_rows.h"

namespace dcmrank {
namespace {

PolicyResult with_halves(const std::vector<double>& end, const std::vector<double>& half) {
  PolicyResult result;
  result.regret_per_run = end;
  result.half_per_run = half;
  result.regret = summarise(end);
  result.curve_steps = {1, 50, 100};
  return result;
}

TEST(LinearRuns, AreThoseWhoseSecondHalfIsNotBetter) {
  EXPECT_EQ(linear_runs(with_halves({100, 100, 100, 20}, {50, 54, 56, 10}), 0), 2U);
}

// What the best sorted list loses is lost in both halves alike.
TEST(LinearRuns, AreCountedNetOfTheFloor) {
  const auto result = with_halves({1100, 1100}, {595, 550});
  EXPECT_EQ(linear_runs(result, 0), 2U);
  EXPECT_EQ(linear_runs(result, 1000), 1U);  // net 100, of which 5 and 50 in the second half
  EXPECT_EQ(linear_runs(result, 1080), 0U);  // net 20: too little to say
}

TEST(NetRegret, IsLessByTheFloorAndAsSure) {
  const auto result = with_halves({10, 20, 30}, {5, 5, 5});
  EXPECT_DOUBLE_EQ(net_regret(result, 15).mean, 5);
  EXPECT_DOUBLE_EQ(net_regret(result, 15).stderr_, result.regret.stderr_);
}

// Who clicks the best item is likely to leave: it does not belong on top.
TEST(NetRegret, HasAFloorWhereASortedListIsNotTheBest) {
  const Problem ccm = parse_problem(
      R"({"model":"ccm","attraction":[0.9,0.5,0.4,0.3],"alpha":[0.9,0.9,0.1],"positions":3})",
      "ccm");
  ASSERT_TRUE(ccm.facts().floor);
  EXPECT_GT(*ccm.facts().floor, 0);
  EXPECT_DOUBLE_EQ(floor_of_run(ccm, 1000).value(), 1000 * *ccm.facts().floor);
  EXPECT_EQ(floor_of_run(Dcm{{.5, .4}, {.5}}, 1000), 0);
}

TEST(NetRegret, IsNotKnownOfUsersWhoDoNotTellTheirFloor) {
  const Problem silent(OtherUsers{
      "silent", 3, 2, "{}",
      [](std::uint64_t, std::uint64_t) -> AnyUsers { throw InputError("nobody asks for them"); }});
  EXPECT_FALSE(floor_of_run(silent, 1000));
  EXPECT_TRUE(std::isnan(net_regret(with_halves({10, 20, 30}, {5, 5, 5}), std::nullopt).mean));
  EXPECT_NE(best_list_text(silent, std::nullopt).find("is not known"), std::string::npos);
  const PolicyResult result = with_halves({10, 20}, {5, 5});
  const auto json = results_to_json(silent, {.steps = 100, .runs = 2, .seed = 1}, {&result, 1});
  EXPECT_TRUE(json["best_sorted"]["regret"].is_null());
  EXPECT_FALSE(json["policies"][0].contains("net_regret"));
}

TEST(HalfPerRun, IsTheRegretOfEachRunAfterHalfOfItsSteps) {
  const std::vector<PolicySpec> policies{parse_policy_spec("dcm-ts")};
  const Dcm dcm{{.6, .5, .4, .1}, {.5, .1}};
  for (const std::uint64_t steps : {1U, 2U, 301U, 1000U}) {
    const auto result =
        compare(dcm, policies, {.steps = steps, .runs = 3, .seed = 1, .curves_per_run = true})[0];
    ASSERT_EQ(result.half_per_run.size(), 3U);
    for (std::size_t s = 0; s < result.curve_steps.size(); ++s) {
      if (result.curve_steps[s] != half_of(steps)) continue;
      EXPECT_EQ(result.half_per_run, result.curve_per_run[s]);
    }
    EXPECT_LE(result.half_per_run[0], result.regret_per_run[0]);
  }
}

TEST(CurveSteps, HaveTheHalfOfARun) {
  for (std::uint64_t n = 1; n < 2000; ++n) {
    const auto steps = curve_steps(n);
    ASSERT_EQ(std::count(steps.begin(), steps.end(), half_of(n)), 1) << n;
  }
}

}  // namespace
}  // namespace dcmrank
