#include "dcmrank/sweep/picture.h"

#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "dcmrank/base/error.h"
#include "dcmrank/sweep/plan_test.h"

namespace dcmrank {
namespace {

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
  for (const std::uint64_t k : {2U, 4U, 8U}) {
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
  for (const std::uint64_t number : {1U, 2U, 3U}) {
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
  for (const std::uint64_t number : {2U, 3U}) {
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
