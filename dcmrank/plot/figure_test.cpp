#include "dcmrank/plot/figure.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "dcmrank/base/atomic_file.h"
#include "dcmrank/base/error.h"
#include "dcmrank/plot/draw.h"
#include "dcmrank/plot/layout.h"

namespace dcmrank {
namespace {

Figure figure(Axes axes = Axes::kLinear) {
  return {
      "It's a title",
      "step",
      "regret",
      axes,
      {{"first_one", {1, 2, 3}, {1, 4, 9}, {.1, .2, .3}}, {"second", {1, 2, 3}, {2, 3, 4}, {}}}};
}

std::string drawn(const std::string& name) {
  const auto file = std::filesystem::path(testing::TempDir()) / name;
  draw(figure(), file);
  const std::string bytes = read_file(file);
  std::filesystem::remove(file);
  return bytes;
}

TEST(Figure, IsDrawnInTheFormatOfItsName) {
  EXPECT_NE(drawn("figure.svg").find("<svg"), std::string::npos);
  EXPECT_EQ(drawn("figure.png").substr(1, 3), "PNG");
  EXPECT_EQ(drawn("figure.pdf").substr(0, 4), "%PDF");
}

TEST(Figure, ShowsItsLabels) {
  const std::string svg = drawn("labels.svg");
  for (const char* text : {"It's a title", "step", "regret", "first_one", "second"}) {
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  }
}

TEST(Figure, HasBandsLinesMarksAndDashes) {
  const std::string script = gnuplot_script(figure(), "f.svg");
  EXPECT_NE(script.find("filledcurves"), std::string::npos);
  EXPECT_NE(script.find("dt solid"), std::string::npos);
  EXPECT_NE(script.find("dt (14,6)"), std::string::npos);
  EXPECT_NE(script.find("1 1 0.9 1.1"), std::string::npos);
}

TEST(Figure, HasTheAxesAskedFor) {
  EXPECT_EQ(gnuplot_script(figure(), "f.svg").find("logscale"), std::string::npos);
  EXPECT_NE(gnuplot_script(figure(Axes::kLogX), "f.svg").find("logscale x"), std::string::npos);
  EXPECT_NE(gnuplot_script(figure(Axes::kLogLog), "f.svg").find("logscale y"), std::string::npos);
}

TEST(Figure, IsRefusedForAFormatThatIsNotDrawn) {
  EXPECT_THROW(check_can_draw("figure.jpg"), InputError);
  EXPECT_THROW(check_can_draw("figure"), InputError);
  EXPECT_THROW(check_can_draw("fig\nure.svg"), InputError);
  EXPECT_NO_THROW(check_can_draw("figure.svg"));
}

TEST(Figure, LeavesTheFormerPictureWhereThereIsNothingToDraw) {
  const auto file = std::filesystem::path(testing::TempDir()) / "former.svg";
  draw(figure(), file);
  const std::string former = read_file(file);
  Figure empty = figure(Axes::kLogLog);
  for (Series& series : empty.series) series = {series.label, {}, {}, {}};
  Figure outside = figure();
  PlotStyle far;
  far.x_range = {1000, 2000};
  for (const auto& attempt : {std::pair(empty, PlotStyle{}), std::pair(outside, far)}) {
    try {
      draw(attempt.first, file, attempt.second);
      FAIL() << "drawn";
    } catch (const std::runtime_error& error) {
      const std::string_view message = error.what();
      EXPECT_NE(message.find("former.svg: "), std::string_view::npos) << message;
      EXPECT_EQ(message.find('\n'), std::string_view::npos) << message;
    }
    EXPECT_EQ(read_file(file), former);
  }
  std::filesystem::remove(file);
}

TEST(Figure, HasSmallerLettersAndFewerPanelsSideBySideOnANarrowSheet) {
  PlotStyle column;
  column.width = 85;
  EXPECT_NE(gnuplot_script(figure(), "f.pdf").find("font 'sans-serif,11'"), std::string::npos);
  EXPECT_NE(gnuplot_script(figure(), "f.pdf", column).find("font 'sans-serif,6.9"),
            std::string::npos);
  const Panels panels{"three", {figure(), figure(), figure()}};
  EXPECT_NE(gnuplot_script(panels, "f.pdf").find("set size 0.333333,"), std::string::npos);
  EXPECT_NE(gnuplot_script(panels, "f.pdf", column).find("set size 1,"), std::string::npos);
  Figure wordy = figure();
  wordy.series.front().label = std::string(40, 'x');
  EXPECT_NE(gnuplot_script(wordy, "f.pdf", column).find("maxcols 1"), std::string::npos);
}

TEST(Figure, ShowsWhatIsBelowZero) {
  EXPECT_NE(gnuplot_script(figure(), "f.svg").find("set yrange [0:*]"), std::string::npos);
  Figure below = figure();
  below.series.front().y.front() = -3;
  EXPECT_EQ(gnuplot_script(below, "f.svg").find("set yrange"), std::string::npos);
  EXPECT_NE(gnuplot_script(Panels{"two", {figure(), below}}, "f.svg").find("set yrange [-3.255:"),
            std::string::npos);
}

TEST(Panels, ShareOneAxisWhateverItsScale) {
  const auto ranges = [](Axes axes) {
    Figure higher = figure(axes);
    for (Series& series : higher.series) {
      for (double& y : series.y) y *= 100;
    }
    const std::string script = gnuplot_script(Panels{"two", {figure(axes), higher}}, "f.svg");
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

TEST(Figure, NamesTheLeastSizeWhereItIsTooSmallToBeRead) {
  const Panels panels{"three", {figure(), figure(), figure()}};
  PlotStyle style;
  EXPECT_EQ(gnuplot::size_note(figure(), "f.pdf", style), "");
  EXPECT_EQ(gnuplot::size_note(panels, "f.pdf", style), "");
  style.width = 85;
  EXPECT_EQ(gnuplot::size_note(figure(), "f.pdf", style), "");
  EXPECT_EQ(gnuplot::size_note(panels, "f.pdf", style), "");
  style.height = 50;
  EXPECT_EQ(gnuplot::size_note(figure(), "f.pdf", style), "");
  const std::string note = gnuplot::size_note(panels, "f.pdf", style);
  EXPECT_EQ(note, "f.pdf is too small to be read: its 3 panels need at least 85 x 166 mm");
  style.height = 166;  // as it says
  EXPECT_EQ(gnuplot::size_note(panels, "f.pdf", style), "");
  style = {};
  style.width = 20;
  EXPECT_EQ(gnuplot::size_note(figure(), "f.pdf", style),
            "f.pdf is too small to be read: it needs at least 43 x 40 mm");
  style.width = 43;
  EXPECT_EQ(gnuplot::size_note(figure(), "f.pdf", style), "");
}

TEST(Figure, BreaksTitlesThatAreLongerThanItIsWide) {
  Figure wordy = figure();
  wordy.title = "regret by gamma, means over a great many parameters of a problem and its policies";
  PlotStyle column;
  column.width = 85;
  EXPECT_NE(gnuplot_script(wordy, "f.pdf").find(wordy.title), std::string::npos);
  const std::string script = gnuplot_script(wordy, "f.pdf", column);
  EXPECT_NE(script.find("of a'.\"\\n\".'problem"), std::string::npos) << script;
}

TEST(Figure, HasTicksThatCanBeRead) {
  const auto script = [](Axes axes, const std::vector<double>& x, double width) {
    PlotStyle style;
    style.width = width;
    return gnuplot_script(Figure{"t", "x", "y", axes, {{"a", x, {1, 40, 90}, {}}}}, "f.svg", style);
  };
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(has(script(Axes::kLinear, {1, 2, 4}, 170), "set xtics 1\n"));
  EXPECT_FALSE(has(script(Axes::kLinear, {0.1, 0.2, 0.3}, 170), "set xtics"));
  EXPECT_TRUE(has(script(Axes::kLinear, {1, 50000, 100000}, 85), "set xtics 20000\n"));
  EXPECT_TRUE(has(script(Axes::kLogX, {2, 4, 8}, 85), "set xtics (2, 4, 8)\n"));
  EXPECT_FALSE(has(script(Axes::kLogX, {1, 1000, 100000}, 85), "set xtics ("));
  EXPECT_FALSE(has(script(Axes::kLinear, {1, 2, 4}, 170), "set ytics"));
  EXPECT_TRUE(has(script(Axes::kLinear, {1, 2, 4}, 50), "set ytics 50\n"))
      << script(Axes::kLinear, {1, 2, 4}, 50);
}

TEST(Figure, LeavesNoRoomForAnEmptyTitle) {
  PlotStyle style;
  style.title = "";
  EXPECT_NE(gnuplot_script(figure(), "f.svg", style).find("unset title"), std::string::npos);
  const Panels panels{"two", {figure(), figure()}};
  EXPECT_EQ(gnuplot_script(panels, "f.svg", style).find("multiplot title"), std::string::npos);
  EXPECT_LT(gnuplot::layout_of(panels, "f.svg", style).sheet.height,
            gnuplot::layout_of(panels, "f.svg", {}).sheet.height);
}

TEST(Figure, IsHigherForALongLegend) {
  Figure many = figure();
  for (int n = 0; n < 12; ++n) many.series.push_back(many.series.back());
  const auto height = [](const Figure& one) {
    return gnuplot::layout_of({"", {one}}, "f.svg", {}).sheet.height;
  };
  EXPECT_EQ(height(figure()), 500);
  EXPECT_GT(height(many), 550);
}

TEST(Figure, HasABlankForALineBreakInALabel) {
  Figure broken = figure();
  broken.series.front().label = "two\nlines";
  EXPECT_NE(gnuplot_script(broken, "f.svg").find("title 'two lines'"), std::string::npos);
}

TEST(Figure, HasItsBandWithinItsAxes) {
  PlotStyle style;
  EXPECT_EQ(gnuplot_script(figure(), "f.svg", style).find("$b0"), std::string::npos);
  style.y_range = {0, 5};
  const std::string script = gnuplot_script(figure(), "f.svg", style);
  EXPECT_NE(script.find("$b0 using 1:2:3 with filledcurves"), std::string::npos) << script;
}

TEST(Figure, HasAMarkOnEveryPointOfAFewAndWholeBars) {
  Figure few = figure();
  for (double x = 4; x <= 10; ++x) {
    few.series.front().x.push_back(x);
    few.series.front().y.push_back(x);
    few.series.front().error.push_back(1);
  }
  EXPECT_EQ(gnuplot_script(few, "f.svg").find("pointinterval 2"), std::string::npos);
  few.series.front().style = Style::kPoints;
  const std::string script = gnuplot_script(few, "f.svg");
  EXPECT_EQ(script.find("errorbars"), std::string::npos);  // which marks break
  EXPECT_NE(script.find("with vectors heads"), std::string::npos);
}

TEST(Figure, HasRoomForTheNamesOfItsCategories) {
  Figure named = figure();
  for (int n = 0; n < 3; ++n) named.categories.push_back("a-name-of-a-world-" + std::to_string(n));
  PlotStyle column;
  column.width = 85;
  const std::string slanted = gnuplot_script(named, "f.svg", column);
  EXPECT_NE(slanted.find("rotate by 30"), std::string::npos);
  EXPECT_NE(slanted.find("set lmargin "), std::string::npos);
  for (std::string& name : named.categories) name += std::string(30, 'x');
  EXPECT_NE(gnuplot_script(named, "f.svg", column).find("rotate by 90"), std::string::npos);
}

TEST(Figure, SaysHowLargeItsPixelsAre) {
  const std::string png = drawn("resolution.png");
  const std::size_t at = png.find("pHYs");
  ASSERT_NE(at, std::string::npos);
  // 288 dots an inch, 11339 a metre; a metre is unit 1; the checksum that zlib gives.
  const std::string expected("pHYs\x00\x00\x2c\x4b\x00\x00\x2c\x4b\x01", 13);
  EXPECT_EQ(png.substr(at, 13), expected);
}

TEST(Figure, SaysWhereItsFontIsNotInstalled) {
  EXPECT_EQ(font_note(gnuplot_script(figure(), "f.png"), "f.png"), "");
  PlotStyle style;
  style.font = "No Such Font";
  EXPECT_EQ(font_note(gnuplot_script(figure(), "f.svg", style), "f.svg"), "");
  const std::string note = font_note(gnuplot_script(figure(), "f.png", style), "f.png");
  if (!note.empty()) {  // there is no fontconfig to ask
    EXPECT_NE(note.find("the font 'No Such Font' is not installed: f.png is drawn in "),
              std::string::npos)
        << note;
  }
}

TEST(Figure, FailsWhereItCannotBeWritten) {
  EXPECT_THROW(draw(figure(), "no/such/folder/figure.svg"), std::runtime_error);
}

// What users typed is not for LaTeX to execute.
TEST(Figure, EscapesItsTextsForLatexAlone) {
  Figure given;
  given.title = "9982_0";
  given.y_label = "net_regret";
  given.series.push_back({"\\input{x}", {1}, {1}, {}});
  const auto file = std::filesystem::path(testing::TempDir()) / "escaped.tex";
  const auto drawn_as_tex = [&](const auto& drawing) {
    draw(drawing, file);
    return read_file(file);
  };
  const auto shows = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  const std::string tex = drawn_as_tex(given);  // escaped once
  EXPECT_TRUE(shows(tex, "{9982\\_0}"));
  EXPECT_TRUE(shows(tex, "{net\\_regret}"));
  EXPECT_TRUE(shows(tex, "{\\textbackslash{}input\\{x\\}}"));
  EXPECT_TRUE(shows(drawn_as_tex(Panels{"a_b", {given, given}}), "{9982\\_0}"));
  EXPECT_TRUE(shows(gnuplot_script(given, "a.svg"), "'9982_0'"));
  std::filesystem::remove(file);
  std::filesystem::remove(script_beside(file));
}

}  // namespace
}  // namespace dcmrank
