// What the policies promise, on problems small enough to check in a second; the figures of the full
// benchmark are in docs/policies.md.
#include <cmath>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dcmrank/bounds/bounds.h"
#include "dcmrank/registry/registry.h"
#include "dcmrank/sim/experiment.h"
#include "dcmrank/sim/simulation.h"
#include "dcmrank/users/dcm_users.h"

namespace dcmrank {
namespace {

const Dcm kBiased{{.6, .5, .4}, {.5, .1}};

PolicyResult play(const Dcm& dcm, const std::string& policy, std::uint64_t steps,
                  std::uint64_t runs) {
  ExperimentOptions options;
  options.steps = steps;
  options.runs = runs;
  options.seed = 1;
  return compare(dcm, std::vector{parse_policy_spec(policy)}, options).front();
}

double at_half(const PolicyResult& result) {
  for (std::size_t s = 0; s < result.curve.size(); ++s) {
    if (result.curve_steps[s] == result.curve_steps.back() / 2) return result.curve[s].mean;
  }
  return NAN;
}

TEST(Regret, OfThePublishedAlgorithmIsLinearOnTheBiasedExample) {
  const PolicyResult result = play(kBiased, "dcm-kl-ucb", 300000, 2);
  EXPECT_GT(result.regret.mean, 1.8 * at_half(result));
  EXPECT_GT(result.regret.mean, bounds(kBiased, 300000).theorem2);
}

TEST(Regret, OfTheRepairedPoliciesIsLogarithmicOnTheBiasedExample) {
  for (const char* policy :
       {"dcm-kl-ucb:counting=em", "dcm-kl-ucb-plus", "dcm-ts", "recommended"}) {
    const PolicyResult result = play(kBiased, policy, 100000, 6);
    EXPECT_LT(result.regret.mean, 25) << policy;
    EXPECT_LT(result.regret.mean, 1.2 * at_half(result)) << policy;
  }
}

TEST(Regret, OfTheRecommendedPolicyIsBelowHalfOfThePublishedOnTheProblemOfFig2) {
  const Dcm fig2 = make_dcm({16, 4, .2, .15, .5});
  const double published = play(fig2, "dcm-kl-ucb", 20000, 4).regret.mean;
  EXPECT_LT(play(fig2, "recommended", 20000, 4).regret.mean, .5 * published);
}

// The estimate of every run, and whether their mean is within 2 standard errors of the truth.
class Estimates : public testing::TestWithParam<std::string> {
 protected:
  static nlohmann::ordered_json learned(const Dcm& dcm, std::uint64_t run) {
    const Shape shape{dcm.items(), dcm.positions(), 50000};
    Simulation simulation(make_policy(parse_policy_spec(GetParam()), shape), DcmUsers(dcm, 3, run),
                          shape, Rng(run));
    simulation.advance(shape.horizon);
    return simulation.policy().save();
  }

  static void expect_unbiased(const std::vector<double>& estimates, double truth) {
    const Summary summary = summarise(estimates);
    EXPECT_NEAR(summary.mean, truth, 2 * summary.stderr_);
  }
};

TEST_P(Estimates, AreWithinTwoStandardErrorsOfTheTruth) {
  const Dcm dcm{{.5, .4, .3, .1}, {.6, .4, .2}};
  std::vector<std::vector<double>> attraction(3);
  std::vector<std::vector<double>> termination(2);
  for (std::uint64_t run = 0; run < 12; ++run) {
    const auto state = learned(dcm, run);
    for (std::size_t e = 0; e < attraction.size(); ++e) {  // the items of the best list
      attraction[e].push_back(state["counts"]["attracted"][e].get<double>() /
                              state["counts"]["observed"][e].get<double>());
    }
    for (std::size_t k = 0; k < termination.size(); ++k) {  // all but the last position
      termination[k].push_back(state["terminations"]["terminated"][k].get<double>() /
                               state["terminations"]["clicked"][k].get<double>());
    }
  }
  for (std::size_t e = 0; e < attraction.size(); ++e) {
    expect_unbiased(attraction[e], dcm.attraction[e]);
  }
  for (std::size_t k = 0; k < termination.size(); ++k) {
    expect_unbiased(termination[k], dcm.termination[k]);
  }
}

INSTANTIATE_TEST_SUITE_P(Repaired, Estimates,
                         testing::Values("dcm-ts", "dcm-ts:counting=revised-em,placement=cheapest",
                                         "dcm-kl-ucb-plus"));

}  // namespace
}  // namespace dcmrank
