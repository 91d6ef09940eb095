#include "dcmrank/sweep/sweep.h"

#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/error.h"
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
                                                     "source",
                                                     "world_seed",
                                                     "number",
                                                     "p",
                                                     "gap",
                                                     "gamma",
                                                     "L",
                                                     "K",
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
  EXPECT_NEAR(panels[0].series[0].error[0], 1, 1e-12);
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
