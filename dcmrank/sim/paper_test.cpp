// The paper's own experiments at full length, against independent reference figures: 16,896 runs
// each, whose standard deviations of one run are given beside them.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dcmrank/base/effort_test.h"
#include "dcmrank/model/paper_problems.h"
#include "dcmrank/sim/experiment.h"

namespace dcmrank {
namespace {

// Instrumented builds are many times slower: there, fewer runs and accordingly wider tolerances.
constexpr std::uint64_t kRuns = effort<std::uint64_t>(20, 2);

double regret(const Dcm& dcm, const std::string& policy) {
  const std::vector<PolicySpec> specs{parse_policy_spec(policy)};
  return compare(dcm, specs, {.steps = 100'000, .runs = kRuns, .seed = 1})[0].regret.mean;
}

void expect_within_three_errors(double measured, double reference, double deviation) {
  EXPECT_NEAR(measured, reference, 3 * deviation / std::sqrt(static_cast<double>(kRuns)));
}

const Dcm kFig2 = make_dcm(fig2_problem());

TEST(Fig2, HasTheReferenceRegretOfDcmKlUcb) {
  expect_within_three_errors(regret(kFig2, "dcm-kl-ucb"), 168.9, 13);
}

TEST(Fig2, HasTheReferenceRegretOfFirstClick) {
  expect_within_three_errors(regret(kFig2, "first-click"), 188.5, 13);
}

TEST(Fig2, HasTheReferenceRegretOfLastClick) {
  expect_within_three_errors(regret(kFig2, "last-click"), 211.2, 13);
}

TEST(Fig2, HasRankedBanditsFarAbove) {
  const double dcm = 168.9;
  const double ranked = regret(kFig2, "ranked-kl-ucb") / dcm;
  EXPECT_GT(ranked, 3.0);
  EXPECT_LT(ranked, 3.6);
  EXPECT_GT(regret(kFig2, "ranked-exp3") / dcm, 10);
}

TEST(Fig1a, HasTheReferenceRegretsOfItsFirstRows) {
  expect_within_three_errors(regret(make_dcm(fig1a_grid()[0]), "dcm-kl-ucb"), 288.4, 20);
  expect_within_three_errors(regret(make_dcm(fig1a_grid()[1]), "dcm-kl-ucb"), 234.3, 17);
  expect_within_three_errors(regret(make_dcm(fig1a_grid()[2]), "dcm-kl-ucb"), 156.4, 12);
}

}  // namespace
}  // namespace dcmrank
