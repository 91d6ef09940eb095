// Where things of a picture are, and what room they have.
#include "dcmrank/plot/layout.h"

#include <gtest/gtest.h>

#include "dcmrank/plot/draw.h"
#include "dcmrank/plot/example_test.h"
#include "dcmrank/plot/x_range.h"

namespace dcmrank {
namespace {

TEST(Layout, HasSmallerLettersAndFewerPanelsSideBySideOnANarrowSheet) {
  PlotStyle column;
  column.width = 85;
  EXPECT_NE(gnuplot_script(example_figure(), "f.pdf").find("font 'sans-serif,11'"),
            std::string::npos);
  EXPECT_NE(gnuplot_script(example_figure(), "f.pdf", column).find("font 'sans-serif,6.9"),
            std::string::npos);
  const Panels panels{"three", {example_figure(), example_figure(), example_figure()}};
  EXPECT_NE(gnuplot_script(panels, "f.pdf").find("set size 0.3296"), std::string::npos);
  EXPECT_NE(gnuplot_script(panels, "f.pdf", column).find("set size 1,"), std::string::npos);
  Figure wordy = example_figure();
  wordy.series.front().label = std::string(40, 'x');
  EXPECT_NE(gnuplot_script(wordy, "f.pdf", column).find("maxcols 1"), std::string::npos);
}

TEST(Panels, ShareOneAxisWhateverItsScale) {
  const auto ranges = [](Axes axes) {
    Figure higher = example_figure(axes);
    for (Series& series : higher.series) {
      for (double& y : series.y) y *= 100;
    }
    const std::string script =
        gnuplot_script(Panels{"two", {example_figure(axes), higher}}, "f.svg");
    std::vector<std::string> lines;
    for (auto at = script.find("set yrange"); at != std::string::npos;
         at = script.find("set yrange", at + 1)) {
      lines.push_back(script.substr(at, script.find('\n', at) - at));
    }
    lines.pop_back();  // of the legend
    return lines;
  };
  const std::string linear = "set yrange [0:945.315]";
  EXPECT_EQ(ranges(Axes::kLinear), (std::vector{linear, linear}));
  const std::string logarithmic = "set yrange [0.1:1000]";
  EXPECT_EQ(ranges(Axes::kLogLog), (std::vector{logarithmic, logarithmic}));
}

TEST(Layout, NamesTheLeastSizeWhereItIsTooSmallToBeRead) {
  const Panels panels{"three", {example_figure(), example_figure(), example_figure()}};
  PlotStyle style;
  EXPECT_EQ(gnuplot::size_note(example_figure(), "f.pdf", style).text(), "");
  EXPECT_EQ(gnuplot::size_note(panels, "f.pdf", style).text(), "");
  style.width = 85;
  EXPECT_EQ(gnuplot::size_note(example_figure(), "f.pdf", style).text(), "");
  EXPECT_EQ(gnuplot::size_note(panels, "f.pdf", style).text(), "");
  style.height = 50;
  EXPECT_EQ(gnuplot::size_note(example_figure(), "f.pdf", style).text(), "");
  const std::string note = gnuplot::size_note(panels, "f.pdf", style).text();
  EXPECT_EQ(note, "f.pdf is too small to be read: its 3 panels need at least 85 x 166 mm");
  style.height = 166;  // as it says
  EXPECT_EQ(gnuplot::size_note(panels, "f.pdf", style).text(), "");
  style = {};
  style.width = 20;
  EXPECT_EQ(gnuplot::size_note(example_figure(), "f.pdf", style).text(),
            "f.pdf is too small to be read: it needs at least 39 x 40 mm");
  style.width = 39;
  EXPECT_EQ(gnuplot::size_note(example_figure(), "f.pdf", style).text(), "");
}

TEST(Layout, HasRoomBesideItsLegendOrNamesShorterNamesAsTheRemedy) {
  PlotStyle column;
  column.width = 85;
  Figure wordy = example_figure();
  const auto note = [&] { return gnuplot::size_note(wordy, "f.png", column).text(); };
  std::string& label = wordy.series.front().label;
  label = "dcm-kl-ucb:counting=em,order=problem and";
  EXPECT_EQ(note(), "");
  label += " more words";  // drawn, its last letter would be cut
  EXPECT_NE(note().find("it needs at least "), std::string::npos) << note();
  EXPECT_NE(note().find("mm, or shorter names in the legend (of policies: --name)"),
            std::string::npos)
      << note();
}

TEST(Layout, BreaksTitlesThatAreLongerThanItIsWide) {
  Figure wordy = example_figure();
  wordy.title = "regret by gamma, means over a great many parameters of a problem and its policies";
  PlotStyle column;
  column.width = 85;
  EXPECT_NE(gnuplot_script(wordy, "f.pdf").find(wordy.title), std::string::npos);
  const std::string script = gnuplot_script(wordy, "f.pdf", column);
  EXPECT_NE(script.find("of'.\"\\n\".'a problem"), std::string::npos) << script;
}

TEST(Layout, KeepsAnEquationOnOneLineOfItsTitle) {
  Figure wordy = example_figure();
  wordy.title = "Regret in satisfied users, 3 runs, many of them, L = 16, K = 4";
  PlotStyle narrow;
  for (double width = 50; width < 120; ++width) {
    narrow.width = width;
    const std::string script = gnuplot_script(wordy, "f.pdf", narrow);
    EXPECT_NE(script.find("L = 16,"), std::string::npos) << width;
    EXPECT_NE(script.find("K = 4"), std::string::npos) << width;
  }
}

TEST(Layout, HasTicksThatCanBeRead) {
  const auto script = [](Axes axes, const std::vector<double>& x, double width) {
    PlotStyle style;
    style.width = width;
    return gnuplot_script(Figure{"t", "x", "y", axes, {{"a", x, {1, 40, 90}, {}}}}, "f.svg", style);
  };
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  // Few values have a tick each, where these have room.
  EXPECT_TRUE(has(script(Axes::kLinear, {1, 2, 4}, 170), "set xtics (1, 2, 4)\n"));
  EXPECT_TRUE(has(script(Axes::kLinear, {0.25, 0.5, 1}, 85), "set xtics (0.25, 0.5, 1)\n"));
  EXPECT_TRUE(has(script(Axes::kLinear, {1, 2, 200}, 85), "set xtics 50\n"))
      << script(Axes::kLinear, {1, 2, 200}, 85);
  EXPECT_FALSE(has(script(Axes::kLinear, {0, 1.0 / 3, 2.0 / 3}, 170), "set xtics ("));
  EXPECT_TRUE(has(script(Axes::kLinear, {1, 2000, 100000}, 85), "set xtics 20000\n"));
  EXPECT_TRUE(has(script(Axes::kLogX, {2, 4, 8}, 85), "set xtics (2, 4, 8)\n"));
  EXPECT_FALSE(has(script(Axes::kLogX, {1, 1000, 100000}, 85), "set xtics ("));
  EXPECT_FALSE(has(script(Axes::kLinear, {1, 2, 4}, 170), "set ytics"));
  EXPECT_TRUE(has(script(Axes::kLinear, {1, 2, 4}, 50), "set ytics 50\n"))
      << script(Axes::kLinear, {1, 2, 4}, 50);
}

// Marks would cover the numbers of the y axis.
TEST(Layout, HasRoomForHalfAMarkAtTheEndsOfTheXAxis) {
  const auto range = [](Axes axes, const std::vector<double>& x, double width) {
    PlotStyle style;
    style.width = width;
    const Figure drawn{"t", "x", "y", axes, {{"a", x, {1, 40, 90}, {}}}};
    return gnuplot::x_range_of(drawn, style, gnuplot::layout_of({"", {drawn}}, "f.pdf", style));
  };
  for (const double width : {85.0, 170.0}) {
    const auto linear = range(Axes::kLinear, {0.1, 0.5, 0.9}, width);
    ASSERT_TRUE(linear);
    EXPECT_LT(linear->first, 0.1);
    EXPECT_GT(linear->first, 0.07);
    EXPECT_NEAR(linear->first + linear->second, 1, 1e-9);
    const auto decades = range(Axes::kLogX, {1, 100, 2000}, width);
    ASSERT_TRUE(decades);
    EXPECT_LT(decades->first, 1);
    EXPECT_GT(decades->first, 0.7);
    EXPECT_NEAR(decades->second, 10000, 1e-6);
  }
  EXPECT_FALSE(range(Axes::kLinear, {3, 3, 3}, 85));
  const std::string script = gnuplot_script(example_figure(), "f.pdf");
  EXPECT_NE(script.find("set xrange [0.98"), std::string::npos) << script;
  EXPECT_NE(script.find("set border 3 back\n"), std::string::npos);
}

TEST(Panels, HaveTheLabelOfTheirYAxisAtTheLeft) {
  const auto labels = [](const Panels& panels) {
    const std::string script = gnuplot_script(panels, "f.pdf");
    std::size_t n = 0;
    for (auto at = script.find("set ylabel 'regret'"); at != std::string::npos;
         at = script.find("set ylabel 'regret'", at + 1)) {
      ++n;
    }
    return n;
  };
  EXPECT_EQ(labels({"", std::vector<Figure>(3, example_figure())}), 1U);
  EXPECT_EQ(labels({"", std::vector<Figure>(5, example_figure())}), 2U);
  Panels differ{"", std::vector<Figure>(3, example_figure())};
  differ.figures.back().y_label = "clicks";
  EXPECT_EQ(labels(differ), 2U);
}

TEST(Panels, HaveTicksThatSayWhereTheirPointsAre) {
  PlotStyle page;
  page.width = 170;
  page.legend = Legend::kRight;
  const auto script = [&](Axes axes, const std::vector<double>& x) {
    const Figure one{"t", "x", "y", axes, {{"recommended", x, {1, 40, 90}, {}}}};
    return gnuplot_script(Panels{"", {one, one, one}}, "f.pdf", page);
  };
  const std::string few = script(Axes::kLinear, {0.15, 0.5, 0.9});
  EXPECT_NE(few.find("set xtics (0.15, 0.5, 0.9)\n"), std::string::npos) << few;
  const std::string linear = script(Axes::kLinear, {0.15, 0.16, 0.9});
  EXPECT_NE(linear.find("set xtics (0.15, 0.525, 0.9)\n"), std::string::npos) << linear;
  const std::string decades = script(Axes::kLogX, {1, 100, 100000});
  EXPECT_NE(decades.find("set xtics 1000\n"), std::string::npos) << decades;
}

TEST(Panels, ForLatexCanBeReadOnAPage) {
  PlotStyle page;
  page.width = 170;
  EXPECT_EQ(
      gnuplot::size_note(Panels{"three", std::vector<Figure>(3, example_figure())}, "f.tex", page)
          .text(),
      "");
}

TEST(Layout, LeavesNoRoomForAnEmptyTitle) {
  PlotStyle style;
  style.title = "";
  EXPECT_NE(gnuplot_script(example_figure(), "f.svg", style).find("unset title"),
            std::string::npos);
  const Panels panels{"two", {example_figure(), example_figure()}};
  EXPECT_EQ(gnuplot_script(panels, "f.svg", style).find("multiplot title"), std::string::npos);
  EXPECT_LT(gnuplot::layout_of(panels, "f.svg", style).sheet.height,
            gnuplot::layout_of(panels, "f.svg", {}).sheet.height);
}

TEST(Layout, IsHigherForALongLegend) {
  Figure many = example_figure();
  for (int n = 0; n < 24; ++n) many.series.push_back(many.series.back());
  const auto height = [](const Figure& one) {
    return gnuplot::layout_of({"", {one}}, "f.svg", {}).sheet.height;
  };
  EXPECT_EQ(height(example_figure()), 500);
  EXPECT_GT(height(many), 550);
}

TEST(Layout, HasRoomForTheNamesOfItsCategories) {
  Figure named = example_figure();
  for (int n = 0; n < 3; ++n) named.categories.push_back("a-name-of-a-world-" + std::to_string(n));
  PlotStyle column;
  column.width = 85;
  const std::string slanted = gnuplot_script(named, "f.svg", column);
  EXPECT_NE(slanted.find("rotate by 30"), std::string::npos);
  EXPECT_NE(slanted.find("set lmargin "), std::string::npos);
  for (std::string& name : named.categories) name += std::string(30, 'x');
  EXPECT_NE(gnuplot_script(named, "f.svg", column).find("rotate by 90"), std::string::npos);
}

}  // namespace
}  // namespace dcmrank
