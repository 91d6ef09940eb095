#include "dcmrank/sweep/sweep.h"

#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/error.h"
#include "dcmrank/sweep/columns.h"
#include "dcmrank/sweep/means.h"
#include "dcmrank/sweep/picture.h"

namespace dcmrank {
namespace {

SweepPlan mixed_plan() {
  return parse_sweep(
      "policies = ['dcm-kl-ucb', 'dcm-ts:counting=first-click']\nsteps = [100, 200]\nruns = 3\n"
      "[[problems]]\nclass = 'lb'\nL = 8\nK = [2, 3]\np = 0.3\ngap = 0.2\ngamma = [0.5, 1]\n"
      "[[problems]]\nrandom = 'ccm'\ncount = 1\n",
      "s.toml");
}

std::vector<SweepCell> cells_of(const SweepPlan& plan) {
  std::vector<PolicyResult> results;
  for (const Trial& trial : trials_of(plan)) {
    const std::vector policies{parse_policy_spec(trial.policy)};
    results.push_back(compare(trial.problem, policies,
                              {.steps = trial.steps, .runs = trial.runs, .seed = plan.seed})
                          .front());
  }
  return sweep_cells(plan, std::move(results));
}

std::size_t column(const DataTable& table, const std::string& name) {
  const auto at = std::find(table.heading.begin(), table.heading.end(), name);
  EXPECT_NE(at, table.heading.end()) << name;
  return static_cast<std::size_t>(at - table.heading.begin());
}

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

TEST(SweepPicture, HasAPanelForEachFacetAndALineForEachSeries) {
  const SweepPlan plan = parse_sweep(
      "policies = ['dcm-kl-ucb', 'dcm-ts']\nsteps = 50\nruns = 3\n"
      "[[problems]]\nclass = 'lb'\nL = 8\nK = [2, 3]\np = 0.3\ngap = 0.2\ngamma = [1, 0.5]\n",
      "s.toml");
  const auto cells = cells_of(plan);
  const auto panels =
      panels_of({.x = "gamma", .series = "K", .facet = "policy"}, sweep_rows(plan, cells)).figures;
  ASSERT_EQ(panels.size(), 2U);
  EXPECT_EQ(panels[0].title, "policy = dcm-kl-ucb");
  ASSERT_EQ(panels[0].series.size(), 2U);
  EXPECT_EQ(panels[0].series[0].label, "K = 2");
  EXPECT_EQ(panels[0].series[0].x, (std::vector<double>{0.5, 1}));  // along the axis
  EXPECT_EQ(panels[0].series[0].y[1], cells[0].result.regret.mean);
  EXPECT_EQ(panels[0].series[0].error[1], cells[0].result.regret.stderr_);
}

TEST(SweepPicture, TakesTheMeanOfRowsThatShareAPoint) {
  DataTable table{{"x", "regret", "regret_stderr", "who"}, {}};
  table.rows = {{1.0, 2.0, .1, "a"}, {1.0, 4.0, .1, "a"}, {2.0, 5.0, .1, "b"}};
  const Panels picture = panels_of({.x = "x", .series = "who"}, table);
  EXPECT_EQ(picture.title, "regret by x, means over cells");
  const auto& panels = picture.figures;
  ASSERT_EQ(panels.size(), 1U);
  EXPECT_EQ(panels[0].series[0].y, std::vector<double>{3});
  EXPECT_TRUE(panels[0].series[0].error.empty());  // whose runs are not known
  EXPECT_EQ(panels[0].series[1].error, std::vector<double>{.1});
}

TEST(SweepPicture, SaysOverWhatItsPointsAreMeans) {
  const SweepPlan plan = mixed_plan();
  const DataTable table = sweep_preview(plan);
  const auto title = [&](const PicturePlan& picture) { return panels_of(picture, table).title; };
  EXPECT_EQ(title({.x = "gamma", .series = "K"}), "regret by gamma, means over policy, steps");
  EXPECT_EQ(title({.x = "gamma", .series = "policy"}), "regret by gamma, means over K, steps");
  EXPECT_EQ(title({.x = "gamma", .series = "K", .where = {"policy=dcm-kl-ucb", "steps=200"}}),
            "regret by gamma");
  const auto notes = picture_notes({.x = "gamma", .series = "K", .facet = "steps"}, table);
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_NE(notes[1].find("means over policy (2 values): --series, --facet or --where"),
            std::string::npos)
      << notes[1];
}

TEST(SweepPicture, CountsOnlyCellsThatAreDrawn) {
  const SweepPlan plan = mixed_plan();
  const DataTable table = sweep_preview(plan);
  // Random problems have no gamma: their K is no panel, and no value over which points are means.
  EXPECT_EQ(panels_of({.x = "gamma", .facet = "K"}, table).figures.size(), 2U);
  const auto notes = picture_notes({.x = "gamma", .series = "policy"}, table);
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_NE(notes[1].find("means over K (2 values), steps (2 values)"), std::string::npos)
      << notes[1];
  EXPECT_NE(picture_notes({.x = "steps", .series = "policy"}, table)[0].find("gamma (2 values)"),
            std::string::npos);
}

TEST(SweepPicture, SaysWhichPointsAreMeansOverOtherCellsThanTheRest) {
  const double none = std::nan("");
  DataTable table{{"number", "gap", "L", "K", "policy", "regret", "regret_stderr"}, {}};
  for (const std::uint64_t k : {2, 4, 8}) {
    for (const double gap : {.1, .2}) {
      table.rows.push_back({none, gap, std::uint64_t{16}, k, "ts", 2.0, .1});
    }
  }
  const PicturePlan plan{.x = "K", .series = "policy"};
  const auto has_note = [](const std::vector<std::string>& notes, const std::string& text) {
    return std::any_of(notes.begin(), notes.end(), [&](const std::string& note) {
      return note.find(text) != std::string::npos;
    });
  };
  EXPECT_FALSE(has_note(picture_notes(plan, table), "not means over the same cells"));
  for (const std::uint64_t number : {1, 2, 3}) {
    table.rows.push_back({number, none, 10 + number, std::uint64_t{4}, "ts", 2.0, .1});
  }
  const auto notes = picture_notes(plan, table);
  EXPECT_TRUE(has_note(notes, "points are means over random worlds (3), gap (2 values)"));
  EXPECT_TRUE(
      has_note(notes, "not means over the same cells, those at K = 4 over others than the rest: "));
  EXPECT_EQ(panels_of(plan, table).title, "regret by K, means over random worlds, gap, L");
  // Each line has its own cells, and along an axis of worlds no two have the same.
  const std::string unlike = "not means over the same cells";
  EXPECT_FALSE(has_note(picture_notes({.x = "K", .series = "gap"}, table), unlike));
  table.rows.push_back(
      {std::uint64_t{1}, none, std::uint64_t{11}, std::uint64_t{4}, "ots", 1., .1});
  EXPECT_TRUE(has_note(picture_notes({.x = "number"}, table), "means over policy"));
  EXPECT_TRUE(has_note(picture_notes({.x = "number"}, table), unlike));  // one has two policies
  for (const std::uint64_t number : {2, 3}) {
    table.rows.push_back({number, none, 10 + number, std::uint64_t{4}, "ots", 2.0, .1});
  }
  EXPECT_FALSE(has_note(picture_notes({.x = "number"}, table), unlike));
}

TEST(SweepPicture, SaysThatItsBandsAreStandardErrors) {
  DataTable table{{"x", "regret", "regret_stderr"}, {{1.0, 2.0, .1}, {2.0, 3.0, .1}}};
  EXPECT_EQ(panels_of({.x = "x"}, table).figures[0].y_label, "regret ± standard error");
  table.rows[0][2] = std::nan("");
  EXPECT_EQ(panels_of({.x = "x"}, table).figures[0].y_label, "regret");
}

TEST(SweepPicture, CallsPoliciesAsItIsTold) {
  const SweepPlan plan = mixed_plan();
  const DataTable table = sweep_preview(plan);
  const std::map<std::string, std::string> names{{"dcm-kl-ucb", "dcmKL-UCB"}};
  EXPECT_EQ(panels_of({.x = "gamma", .series = "policy", .names = names}, table)
                .figures[0]
                .series[0]
                .label,
            "dcmKL-UCB");
  EXPECT_EQ(panels_of({.x = "gamma", .facet = "policy", .names = names}, table).figures[0].title,
            "dcmKL-UCB");
  EXPECT_EQ(panels_of({.x = "policy", .names = names}, table).figures[0].categories[0],
            "dcmKL-UCB");
}

TEST(SweepPicture, HasNamesAlongItsAxis) {
  DataTable table{{"model", "regret", "regret_stderr", "policy"}, {}};
  table.rows = {{"ubm", 2.0, .1, "a"},
                {"ubm", 4.0, .2, "b"},
                {"dcm", 5.0, .3, "a"},
                {"dcm", 6.0, .4, "b"},
                {std::nan(""), 7.0, .4, "b"}};
  const Figure figure = panels_of({.x = "model", .series = "policy"}, table).figures[0];
  EXPECT_EQ(figure.categories, (std::vector<std::string>{"ubm", "dcm"}));
  ASSERT_EQ(figure.series.size(), 2U);
  EXPECT_EQ(figure.series[0].style, Style::kPoints);
  EXPECT_EQ(figure.series[0].x, (std::vector<double>{1 - 0.15, 2 - 0.15}));
  EXPECT_EQ(figure.series[1].y, (std::vector<double>{4, 6}));
  EXPECT_EQ(figure.series[1].error, (std::vector<double>{.2, .4}));
  const std::string script = gnuplot_script(figure, "f.svg");
  EXPECT_NE(script.find("set xtics ('ubm' 1, 'dcm' 2)"), std::string::npos) << script;
  EXPECT_EQ(script.find("logscale"), std::string::npos);
  EXPECT_EQ(picture_notes({.x = "model", .series = "policy"}, table).size(), 1U);
}

TEST(SweepPicture, DrawsTheRowsAskedFor) {
  DataTable table{{"x", "who", "regret"}, {}};
  table.rows = {{1.0, "a", 2.0}, {1.0, "b", 4.0}, {2.0, "a", 5.0}, {3.0, "c", 5.0}};
  const auto drawn = [&](const std::vector<std::string>& where) {
    return panels_of({.x = "x", .where = where}, table).figures[0].series[0].x;
  };
  EXPECT_EQ(drawn({"who=a"}), (std::vector<double>{1, 2}));
  EXPECT_EQ(drawn({"who=a", "who=c"}), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(drawn({"who=a", "x=1.0"}), std::vector<double>{1});
  const auto why = [&](const std::string& where) -> std::string {
    try {
      drawn({where});
    } catch (const InputError& error) {
      return error.what();
    }
    return "drawn";
  };
  EXPECT_NE(why("who").find("--where is 'who', not COLUMN=VALUE"), std::string::npos);
  EXPECT_NE(why("whom=a").find("--where is 'whom', not one of x, who"), std::string::npos);
  EXPECT_NE(why("x=4").find("--where x is '4', not one of 1, 2, 3"), std::string::npos)
      << why("x=4");
}

TEST(SweepPicture, RefusesColumnsThatAreNotThereOrNotNumbers) {
  DataTable table{{"policy", "regret"}, {{"dcm-ts", 1.0}}};
  const auto why = [&](const PicturePlan& plan) -> std::string {
    try {
      panels_of(plan, table);
    } catch (const InputError& error) {
      return error.what();
    }
    return "drawn";
  };
  EXPECT_NE(why({.x = "gama"}).find("--x is 'gama', not one of policy, regret"), std::string::npos);
  EXPECT_NE(why({.x = "regret", .y = "policy"}).find("--y policy: 'dcm-ts' is not a number"),
            std::string::npos);
  EXPECT_NE(why({.x = "policy", .axes = Axes::kLogX}).find("--x policy has names, not numbers"),
            std::string::npos);
  EXPECT_NE(why({.x = "regret", .series = "s"}).find("--series"), std::string::npos);
}

}  // namespace
}  // namespace dcmrank
