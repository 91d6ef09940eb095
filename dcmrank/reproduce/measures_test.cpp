#include "dcmrank/reproduce/measures.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "dcmrank/reproduce/curves.h"
#include "dcmrank/reproduce/verdict.h"

namespace dcmrank {
namespace {

PolicyResult with_regrets(const std::vector<double>& per_run) {
  PolicyResult result;
  result.regret_per_run = per_run;
  result.regret = summarise(per_run);
  return result;
}

// The runs differ by far more than the policies do.
const PolicyResult kLow = with_regrets({100, 200, 300});
const PolicyResult kHigh = with_regrets({101, 202, 303});

TEST(Difference, IsTakenRunByRun) {
  const Summary d = difference(kHigh, kLow);
  EXPECT_DOUBLE_EQ(d.mean, 2);
  EXPECT_DOUBLE_EQ(d.stderr_, std::sqrt(1.0 / 3));
  EXPECT_EQ(below(difference(kLow, kHigh), 0).outcome, Outcome::kHolds);
}

TEST(Ratio, IsTakenRunByRun) {
  const Summary r = ratio(kHigh, kLow);
  EXPECT_DOUBLE_EQ(r.mean, 1.01);
  EXPECT_NEAR(r.stderr_, 0, 1e-12);
}

TEST(Growth, IsTakenRunByRun) {
  PolicyResult result = kHigh;
  result.curve_steps = {5, 10};
  result.curve_per_run = {kLow.regret_per_run, kHigh.regret_per_run};
  EXPECT_DOUBLE_EQ(growth_since(5, result).mean, 1.01);
  EXPECT_NEAR(growth_since(5, result).stderr_, 0, 1e-12);
}

// Problems that share their users tell no more together than one of them.
TEST(Average, HasTheErrorOfTheRunsAndNotOfIndependentProblems) {
  PolicyResult one = kLow;
  one.curve_steps = {10};
  one.curve = {kLow.regret};
  one.curve_per_run = {kLow.regret_per_run};
  const PolicyResult mean = average("a", std::vector{one, one, one, one});
  EXPECT_DOUBLE_EQ(mean.regret.mean, kLow.regret.mean);
  EXPECT_DOUBLE_EQ(mean.regret.stderr_, kLow.regret.stderr_);
  EXPECT_EQ(mean.regret_per_run, kLow.regret_per_run);
}

TEST(Compared, SaysWhichIsLargerOnlyWhereItIsTold) {
  EXPECT_EQ(compared(kLow, kHigh), "200 < 202 (by 2 ± 1)");
  EXPECT_EQ(compared(kHigh, kLow), "202 > 200 (by -2 ± 1)");
  EXPECT_EQ(compared(kLow, with_regrets({300, 100, 206})), "200 ≈ 202 (by 2 ± 99)");
  // "135 ≈ 130" would not be "by -4".
  EXPECT_EQ(compared(with_regrets({134.5, 134.7}), with_regrets({134.4, 126})),
            "134.6 ≈ 130.2 (by -4.4 ± 4.3)");
}

TEST(Compared, ShowsTheDigitsThatDiffer) {
  EXPECT_EQ(compared(with_regrets({69.1, 69.1}), with_regrets({69.3, 69.3})),
            "69.1 < 69.3 (by 0.2 ± 0.0)");
}

TEST(Verdict, AsksForTwiceTheStandardError) {
  EXPECT_EQ(below({1, .4}, 2).outcome, Outcome::kHolds);
  EXPECT_EQ(below({1, .6}, 2).outcome, Outcome::kTooShort);
  EXPECT_EQ(below({3, .6}, 2).outcome, Outcome::kTooShort);
  EXPECT_EQ(below({3, .4}, 2).outcome, Outcome::kDoesNotHold);
  EXPECT_EQ(above({3, .4}, 2).outcome, Outcome::kHolds);
  EXPECT_EQ(above({1, .4}, 2).outcome, Outcome::kDoesNotHold);
  EXPECT_EQ(between({3, .2}, 2.5, 3.5).outcome, Outcome::kHolds);
  EXPECT_EQ(between({3.3, .2}, 2.5, 3.5).outcome, Outcome::kTooShort);
  EXPECT_EQ(between({4, .2}, 2.5, 3.5).outcome, Outcome::kDoesNotHold);
  EXPECT_EQ(below(summarise(std::vector<double>{1}), 2).outcome, Outcome::kTooShort);
}

TEST(Verdict, OfSeveralIsTheWorst) {
  const Verdict yes = counted(true);
  const Verdict no = counted(false);
  const Verdict open = too_short("why");
  EXPECT_EQ(all_of({yes, yes}).outcome, Outcome::kHolds);
  EXPECT_EQ(all_of({yes, open}).outcome, Outcome::kTooShort);
  EXPECT_EQ(all_of({open, no, yes}).outcome, Outcome::kDoesNotHold);
}

TEST(FitLine, FindsALineAndHowWellItFits) {
  const std::vector<double> x{0, 1, 2, 3};
  const Line exact = fit_line(x, std::vector<double>{1, 3, 5, 7});
  EXPECT_DOUBLE_EQ(exact.intercept, 1);
  EXPECT_DOUBLE_EQ(exact.slope, 2);
  EXPECT_DOUBLE_EQ(exact.r_squared, 1);
  EXPECT_LT(fit_line(x, std::vector<double>{1, 5, 2, 7}).r_squared, 0.8);
}

}  // namespace
}  // namespace dcmrank
