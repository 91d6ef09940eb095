#include "dcmrank/sim/merge.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/error.h"
#include "dcmrank/base/json.h"

namespace dcmrank {
namespace {

const Dcm kMergedDcm = make_dcm({.items = 8, .positions = 3, .p = .3, .gap = .2, .gamma = .5});
const std::vector<std::string> kPolicies{"dcm-kl-ucb", "ranked-exp3"};

ExperimentReport report_of(std::uint64_t first_run, std::uint64_t runs, std::uint64_t seed = 1,
                           bool curves = true) {
  std::vector<PolicySpec> specs;
  for (const std::string& name : kPolicies) specs.push_back(parse_policy_spec(name));
  ExperimentOptions options{.steps = 300, .runs = runs, .seed = seed, .threads = 1};
  options.first_run = first_run;
  options.curves_per_run = curves;
  return {kMergedDcm, options, compare(kMergedDcm, specs, options)};
}

// As a file holds it: what is merged was written and read in between.
ExperimentPart part(const std::string& name, const ExperimentReport& report) {
  const auto json = results_to_json(report.problem, report.options, report.results);
  return {name, experiment_from_json(parse_json(print_json(json), name), name)};
}

std::string bytes(ExperimentReport report) {
  for (PolicyResult& result : report.results) result.ns_per_step = 0;
  return print_json(results_to_json(report.problem, report.options, report.results));
}

std::string why_not(const std::vector<ExperimentPart>& parts) {
  try {
    merge_parts(parts);
  } catch (const InputError& error) {
    return error.what();
  }
  return "merged";
}

TEST(MergeParts, GivesTheBytesOfTheWholeForAnySplit) {
  const std::string whole = bytes(report_of(0, 7));
  for (const auto& sizes : std::vector<std::vector<std::uint64_t>>{{7}, {3, 4}, {1, 1, 5}}) {
    std::vector<ExperimentPart> parts;
    std::uint64_t first = 0;
    for (const std::uint64_t size : sizes) {
      parts.insert(parts.begin(), part("part", report_of(first, size)));  // in any order
      first += size;
    }
    EXPECT_EQ(bytes(merge_parts(parts)), whole);
  }
}

TEST(MergeParts, KeepsTheNumberOfAFirstRunThatIsNotTheVeryFirst) {
  const auto merged = merge_parts({part("a", report_of(4, 2)), part("b", report_of(6, 1))});
  EXPECT_EQ(bytes(merged), bytes(report_of(4, 3)));
  EXPECT_EQ(merged.options.first_run, 4U);
}

TEST(MergeParts, SaysWhichRunIsMissingAndWhichIsThereTwice) {
  EXPECT_EQ(why_not({part("a", report_of(0, 2)), part("b", report_of(5, 1))}),
            "no part has runs 2 to 4");
  EXPECT_EQ(why_not({part("a", report_of(0, 2)), part("b", report_of(3, 1))}), "no part has run 2");
  EXPECT_EQ(why_not({part("a", report_of(0, 2)), part("b", report_of(1, 2))}),
            "run 1 is in a and in b");
}

TEST(MergeParts, RefusesPartsOfDifferentExperiments) {
  EXPECT_EQ(why_not({part("a", report_of(0, 2)), part("b", report_of(2, 2, 9))}),
            "b: not the same experiment as a: its \"seed\" differs");
  auto other = report_of(2, 2);
  other.results.pop_back();
  EXPECT_EQ(why_not({part("a", report_of(0, 2)), part("b", other)}),
            "b: not the same experiment as a: its \"policies\" differs");
}

TEST(MergeParts, RefusesPartsWithoutTheCurvesOfTheirRuns) {
  const std::string why =
      why_not({part("a", report_of(0, 2, 1, false)), part("b", report_of(2, 2))});
  EXPECT_NE(why.find("a: does not have the curve"), std::string::npos) << why;
  auto cut = report_of(0, 3);
  cut.results[1].curve_per_run[2].pop_back();
  EXPECT_THROW(part("a", cut), InputError);  // already where it is read
}

}  // namespace
}  // namespace dcmrank
