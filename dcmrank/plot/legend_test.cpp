#include "dcmrank/plot/legend.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dcmrank/base/error.h"

namespace dcmrank {
namespace {

// It rises, so that the top left is free and the top right is not.
Figure rising() {
  return {"t",
          "x",
          "y",
          Axes::kLinear,
          {{"one", {0, 5, 10}, {0, 5, 10}, {}}, {"two", {0, 10}, {0, 9}, {}}}};
}

PlotStyle with_legend(Legend where) {
  PlotStyle style;
  style.legend = where;
  style.width = 170;
  return style;
}

std::optional<gnuplot::Range> range_of(const Figure& figure, const PlotStyle& style) {
  return gnuplot::range_with_legend({figure}, style,
                                    gnuplot::layout_of({"", {figure}}, "f.svg", style));
}

TEST(Legend, HasALongerAxisWhereItWouldCoverLines) {
  EXPECT_FALSE(range_of(rising(), with_legend(Legend::kTopLeft)));
  const auto range = range_of(rising(), with_legend(Legend::kTopRight));
  ASSERT_TRUE(range);
  EXPECT_EQ(range->first, 0);
  EXPECT_GT(range->second, 11);
  EXPECT_LT(range->second, 30);
  EXPECT_EQ(gnuplot::legend_note(rising(), "f.svg", with_legend(Legend::kTopRight)).text(), "");
}

TEST(Legend, SaysWhereItCoversLines) {
  PlotStyle style = with_legend(Legend::kTopRight);
  style.y_range = {0, 10};
  const std::string note = gnuplot::legend_note(rising(), "f.svg", style).text();
  EXPECT_NE(note.find("the legend of f.svg covers lines: a y range of 0:1"), std::string::npos)
      << note;
  EXPECT_NE(gnuplot::legend_note(rising(), "f.svg", with_legend(Legend::kBottomLeft))
                .text()
                .find("another corner"),
            std::string::npos);
  EXPECT_EQ(gnuplot::legend_note(rising(), "f.svg", with_legend(Legend::kBottomRight)).text(), "");
  EXPECT_EQ(gnuplot::legend_note(rising(), "f.svg", with_legend(Legend::kBelow)).text(), "");
}

TEST(Legend, IsBelowWhereAPanelHasNoRoomForIt) {
  Figure wordy = rising();
  wordy.series.front().label = std::string(40, 'x');
  const Panels panels{"three", {wordy, wordy, wordy}};
  const PlotStyle style = with_legend(Legend::kTopLeft);
  EXPECT_EQ(gnuplot::legend_note(panels, "f.svg", style).text(),
            "the legend of f.svg has no room inside a panel: it is below");
  EXPECT_EQ(gnuplot_script(panels, "f.svg", style).find("set key inside"), std::string::npos);
  EXPECT_NE(gnuplot_script(panels, "f.svg", style).find("keyentry"), std::string::npos);
}

// Five policies as a paper names them, in a column of it.
Figure wordy_column(Axes axes = Axes::kLinear) {
  Figure figure = rising();
  figure.axes = axes;
  figure.series = {{"dcmKL-UCB", {1, 5, 10}, {1, 5, 10}, {}}};
  for (const char* tau : {"0.05", "0.10", "0.25", "0.50"}) {
    figure.series.push_back({fmt::format("Softmax (τ = {})", tau), {1, 10}, {1, 9}, {}});
  }
  return figure;
}

PlotStyle column_with(Legend where) {
  PlotStyle style = with_legend(where);
  style.width = 85;
  style.font_size = 7;
  return style;
}

TEST(Legend, HasALongerAxisInAColumnToo) {
  const PlotStyle style = column_with(Legend::kTopLeft);
  for (const Axes axes : {Axes::kLinear, Axes::kLogX, Axes::kLogLog}) {
    for (const char* file : {"f.pdf", "f.png", "f.svg", "f.tex"}) {
      const Figure figure = wordy_column(axes);
      EXPECT_EQ(gnuplot::legend_note(figure, file, style).text(), "") << file;
      EXPECT_NE(gnuplot_script(figure, file, style).find("set key inside left top"),
                std::string::npos)
          << file;
    }
  }
}

TEST(Legend, MakesThePictureHigherWhereNoHeightIsAskedFor) {
  const auto height = [](const PlotStyle& style) {
    return gnuplot::layout_of({"", {wordy_column()}}, "f.svg", style).sheet.height;
  };
  EXPECT_GT(height(column_with(Legend::kTopLeft)), height(column_with(Legend::kNone)));
  PlotStyle low = column_with(Legend::kTopLeft);
  low.height = 40;
  EXPECT_EQ(gnuplot::legend_note(wordy_column(), "f.svg", low).text(),
            "the legend of f.svg has no room inside the axes: it is below");
}

// gnuplot's lines of a legend are higher in an SVG.
TEST(Legend, IsAsHighAsItsLines) {
  const auto height = [](const char* file) {
    const Figure figure = wordy_column();
    const gnuplot::Layout layout =
        gnuplot::layout_of({"", {figure}}, file, column_with(Legend::kTopLeft));
    return gnuplot::legend_size(figure.series, layout).height * layout.plot_height();
  };
  EXPECT_GT(height("f.svg"), 1.2 * height("f.pdf"));
}

TEST(Legend, HasAsManyColumnsBelowAsFit) {
  const auto columns = [](const Figure& figure, const PlotStyle& style) {
    return gnuplot::layout_of({"", {figure}}, "f.pdf", style).strip.columns;
  };
  PlotStyle style = column_with(Legend::kBelow);
  EXPECT_EQ(columns(wordy_column(), style), 2);
  style.width = 170;
  EXPECT_EQ(columns(wordy_column(), style), 3);  // five would not fit, and four make as many lines
  style.width = 212;
  EXPECT_EQ(columns(wordy_column(), style), 5);
  EXPECT_NE(gnuplot_script(wordy_column(), "f.pdf", style).find("maxcols 5"), std::string::npos);
}

TEST(Legend, BesideTheAxesOfAColumnCanBeRead) {
  const PlotStyle style = column_with(Legend::kRight);
  EXPECT_EQ(gnuplot::size_note(wordy_column(), "f.pdf", style).text(), "");
}

// gnuplot counts letters as wide as digits.
TEST(Legend, IsAsWideAsItsLetters) {
  const auto wider = [](const std::string& label, const char* file) {
    const Panels one{"", {{"", "", "", Axes::kLinear, {{label, {1}, {1}, {}}}}}};
    return gnuplot::wider_by(one.figures.front().series, gnuplot::layout_of(one, file, {}));
  };
  EXPECT_LT(wider("illicit", "f.pdf"), -2);
  EXPECT_GT(wider("MMMMMMM", "f.pdf"), 2);
  EXPECT_EQ(wider("τ", "f.pdf"), wider("é", "f.pdf"));  // two bytes each
  // Of what LaTeX is given, $\tau$\_, a command is one letter.
  EXPECT_NEAR(wider("τ_", "f.tex"), wider("ab", "f.tex"), 0.5);
}

TEST(Legend, StandsWhereTheLastRowHasNoPanel) {
  const Panels five{"five", std::vector<Figure>(5, rising())};
  PlotStyle style = with_legend(Legend::kBelow);
  const gnuplot::Layout layout = gnuplot::layout_of(five, "f.pdf", style);
  EXPECT_TRUE(layout.strip.in_gap);
  const Panels six{"six", std::vector<Figure>(6, rising())};
  EXPECT_FALSE(gnuplot::layout_of(six, "f.pdf", style).strip.in_gap);
  EXPECT_LT(layout.sheet.height, gnuplot::layout_of(six, "f.pdf", style).sheet.height);
  const std::string script = gnuplot_script(five, "f.pdf", style);
  EXPECT_NE(script.find("keyentry"), std::string::npos);
  Panels wordy = five;
  for (Figure& figure : wordy.figures) figure.series.front().label = std::string(40, 'x');
  EXPECT_TRUE(gnuplot::layout_of(wordy, "f.pdf", style).strip.below);
}

TEST(Legend, NamesLinesThatAreInOtherPanelsAlone) {
  Figure first = rising();
  first.series.back().x.clear();
  first.series.back().y.clear();
  const std::string script =
      gnuplot_script(Panels{"two", {first, rising()}}, "f.svg", with_legend(Legend::kTopLeft));
  const std::size_t entry = script.find("keyentry");
  ASSERT_NE(entry, std::string::npos);
  EXPECT_NE(script.substr(entry, script.find('\n', entry) - entry).find("'two'"),
            std::string::npos);
}

TEST(Figure, IsRefusedWhereNoPointIsWithinItsRanges) {
  const auto why = [](const PlotStyle& style, Known known) -> std::string {
    try {
      check_points({"", {rising()}}, style, "a.svg", known);
    } catch (const InputError& error) {
      return error.what();
    }
    return "drawn";
  };
  PlotStyle style;
  style.x_range = {100, 200};
  EXPECT_EQ(why(style, Known::kX),
            "cannot draw a.svg: no point is within 100:200 of the x axis; they go from 0 to 10");
  style.x_range = {0, 5};
  style.y_range = {50, 60};
  EXPECT_EQ(why(style, Known::kX), "drawn");
  EXPECT_EQ(why(style, Known::kAll),
            "cannot draw a.svg: no point is within 50:60 of the y axis; they go from 0 to 5");
}

}  // namespace
}  // namespace dcmrank
