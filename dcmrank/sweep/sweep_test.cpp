#include "dcmrank/sweep/sweep.h"

#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/error.h"
#include "dcmrank/sweep/columns.h"
#include "dcmrank/sweep/means.h"
#include "dcmrank/sweep/plan_test.h"

namespace dcmrank {
namespace {

TEST(Sweep, MakesOneTidyTableWithEveryParameterAsAColumn) {
  const SweepPlan plan = mixed_plan();
  const DataTable table = sweep_rows(plan, cells_of(plan));
  EXPECT_EQ(table.rows.size(), plan.cells());
  EXPECT_EQ(table.heading, (std::vector<std::string>{"problem",
                                                     "model",
                                                     "reward_kind",
                                                     "source",
                                                     "world_seed",
                                                     "number",
                                                     "p",
                                                     "gap",
                                                     "gamma",
                                                     "L",
                                                     "K",
                                                     "best_list_searched",
                                                     "policy",
                                                     "policy_name",
                                                     "policy_counting",
                                                     "steps",
                                                     "runs",
                                                     "seed",
                                                     "regret",
                                                     "regret_stderr",
                                                     "difference",
                                                     "difference_stderr",
                                                     "net_regret",
                                                     "net_regret_stderr",
                                                     "linear_runs",
                                                     "reward",
                                                     "reward_stderr"}));
  EXPECT_EQ(sweep_preview(plan).heading, table.heading);
  for (std::size_t c = 0; c < table.heading.size(); ++c) {
    EXPECT_EQ(is_measured(table.heading[c]), c > column(table, "seed")) << table.heading[c];
  }
  // A parameter that a problem or a policy does not have is missing.
  const auto& last = table.rows.back();
  EXPECT_TRUE(std::isnan(std::get<double>(last[column(table, "gamma")])));
  EXPECT_EQ(std::get<std::string>(last[column(table, "model")]), "ccm");
  EXPECT_EQ(std::get<std::string>(last[column(table, "policy_counting")]), "first-click");
  EXPECT_TRUE(std::isnan(std::get<double>(table.rows[0][column(table, "policy_counting")])));
  EXPECT_GT(std::get<double>(last[column(table, "regret")]), 0);
}

TEST(Sweep, SaysWhatRegretCountsAndIsMeasuredAgainst) {
  const SweepPlan plan = parse_sweep(
      "policies = 'dcm-ts'\nsteps = 10\nruns = 2\n[[problems]]\nrandom = ['ubm', 'dbn']\ncount = "
      "1\n"
      "[[problems]]\nclass = 'lb'\nL = 8\nK = 2\np = 0.3\ngap = 0.2\ngamma = 1\n",
      "s.toml");
  const auto cells = cells_of(plan);
  for (const DataTable& table : {sweep_rows(plan, cells), sweep_run_rows(plan, cells)}) {
    const std::size_t kind = column(table, "reward_kind");
    EXPECT_EQ(std::get<std::string>(table.rows.front()[kind]), "clicks");
    EXPECT_EQ(std::get<std::string>(table.rows.back()[kind]), "satisfaction");
    const std::size_t searched = column(table, "best_list_searched");
    EXPECT_EQ(std::get<std::string>(table.rows.back()[searched]), "no");
  }
  EXPECT_EQ(std::get<std::string>(sweep_rows(plan, cells).rows[1][2]), "satisfaction");
  const auto notes = picture_notes({.x = "model", .series = "policy"}, sweep_rows(plan, cells));
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("several kinds of regret, which are not to be compared: clicks (ubm), "
                          "satisfaction (dbn, dcm)"),
            std::string::npos)
      << notes[0];
}

TEST(Sweep, HasNoNetRegretAndNoLinearRunsWhereTheFloorIsNotKnown) {
  const SweepPlan plan = mixed_plan();
  auto cells = cells_of(plan);
  cells.front().floor.reset();
  const DataTable table = sweep_rows(plan, cells);
  for (const char* name : {"net_regret", "net_regret_stderr", "linear_runs"}) {
    EXPECT_TRUE(is_missing(table.rows[0][column(table, name)])) << name;
    EXPECT_FALSE(is_missing(table.rows[1][column(table, name)])) << name;
  }
  EXPECT_TRUE(std::isnan(run_values(cells.front(), "net_regret").front()));
  EXPECT_TRUE(sweep_to_json(plan, cells)["cells"][0]["linear_runs"].is_null());
}

TEST(Sweep, HoldsItsProblemsAsFilesDo) {
  const SweepPlan plan = mixed_plan();
  const auto json = sweep_to_json(plan, cells_of(plan));
  ASSERT_EQ(json["problems"].size(), plan.problems.size());
  const auto& last = json["problems"].back();
  EXPECT_EQ(last["name"], "ccm-1");
  const Problem again = parse_problem(last["problem"].dump(), "a.json");
  EXPECT_EQ(again.items(), plan.problems.back().problem.items());
  EXPECT_EQ(again.model(), "ccm");
}

TEST(Sweep, HasTheErrorOfTheRunsOverAGridAndOfTheWorldsOverDrawnOnes) {
  const SweepPlan plan = parse_sweep(
      "policies = 'dcm-ts'\nsteps = 100\nruns = 3\n"
      "[[problems]]\nclass = 'lb'\nL = 8\nK = [2, 3]\np = 0.3\ngap = 0.2\ngamma = 1\n"
      "[[problems]]\nrandom = 'ccm'\ncount = 3\n",
      "s.toml");
  const auto cells = cells_of(plan);
  const DataTable table = sweep_rows(plan, cells);
  const CellMean grid = mean_of_cells(table, cells, {0, 1}, "regret");
  EXPECT_EQ(grid.error, ErrorOf::kRuns);
  std::vector<double> by_run;
  for (std::size_t r = 0; r < 3; ++r) {
    by_run.push_back((cells[0].result.regret_per_run[r] + cells[1].result.regret_per_run[r]) / 2);
  }
  EXPECT_NEAR(grid.value.mean, summarise(by_run).mean, 1e-12);
  EXPECT_NEAR(grid.value.stderr_, summarise(by_run).stderr_, 1e-12);
  const CellMean worlds = mean_of_cells(table, cells, {2, 3, 4}, "regret");
  EXPECT_EQ(worlds.error, ErrorOf::kWorlds);
  std::vector<double> means;
  for (std::size_t c = 2; c < 5; ++c) means.push_back(cells[c].result.regret.mean);
  EXPECT_NEAR(worlds.value.stderr_, summarise(means).stderr_, 1e-12);
  EXPECT_EQ(mean_of_cells(table, cells, {1, 2}, "regret").error, ErrorOf::kRuns);
  EXPECT_EQ(mean_of_cells(table, {}, {0, 1}, "regret").error, ErrorOf::kNothing);
  EXPECT_EQ(mean_of_cells(table, cells, {0, 1}, "linear_runs").error, ErrorOf::kNothing);
  const auto notes = picture_notes({.x = "model", .y = "net_regret"}, table, cells);
  ASSERT_FALSE(notes.empty());
  EXPECT_NE(notes[0].find("their standard error is that over the worlds that were drawn, or over "
                          "the runs, of these very cells"),
            std::string::npos)
      << notes[0];
}

TEST(Sweep, HasARowForEveryRun) {
  const SweepPlan plan = mixed_plan();
  const auto cells = cells_of(plan);
  const DataTable table = sweep_run_rows(plan, cells);
  EXPECT_EQ(table.rows.size(), plan.cells() * plan.runs);
  EXPECT_EQ(std::get<double>(table.rows[4][column(table, "regret")]),
            cells[1].result.regret_per_run[1]);
}

TEST(Sweep, ComparesEveryPolicyWithTheFirstRunByRun) {
  const SweepPlan plan = mixed_plan();
  const auto cells = cells_of(plan);
  const DataTable table = sweep_rows(plan, cells);
  const std::size_t mean = column(table, "difference");
  for (std::size_t c = 0; c < cells.size(); c += plan.policies.size()) {
    const Summary expected =
        paired_difference(cells[c + 1].result.regret_per_run, cells[c].result.regret_per_run);
    EXPECT_EQ(std::get<double>(table.rows[c][mean]), 0);
    EXPECT_EQ(std::get<double>(table.rows[c + 1][mean]), expected.mean);
    EXPECT_EQ(std::get<double>(table.rows[c + 1][column(table, "difference_stderr")]),
              expected.stderr_);
  }
  const DataTable runs = sweep_run_rows(plan, cells);
  EXPECT_EQ(std::get<double>(runs.rows[4][column(runs, "difference")]),
            cells[1].result.regret_per_run[1] - cells[0].result.regret_per_run[1]);
}

TEST(Sweep, WritesMissingValuesAsNull) {
  const SweepPlan plan = mixed_plan();
  const auto json = sweep_to_json(plan, cells_of(plan));
  EXPECT_EQ(json["cells"].size(), plan.cells());
  EXPECT_TRUE(json["cells"].back()["gamma"].is_null());
  EXPECT_EQ(json["cells"][0]["K"], 2);
}

}  // namespace
}  // namespace dcmrank
