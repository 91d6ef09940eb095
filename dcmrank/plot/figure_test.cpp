#include "dcmrank/plot/figure.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "dcmrank/base/atomic_file.h"
#include "dcmrank/base/error.h"
#include "dcmrank/plot/draw.h"
#include "dcmrank/plot/example_test.h"

namespace dcmrank {
namespace {

std::string drawn(const std::string& name) {
  const auto file = std::filesystem::path(testing::TempDir()) / name;
  draw(example_figure(), file);
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
  const std::string script = gnuplot_script(example_figure(), "f.svg");
  EXPECT_NE(script.find("filledcurves"), std::string::npos);
  EXPECT_NE(script.find("dt solid"), std::string::npos);
  EXPECT_NE(script.find("dt (14,6)"), std::string::npos);
  EXPECT_NE(script.find("1 1 0.9 1.1"), std::string::npos);
}

TEST(Figure, HasTheAxesAskedFor) {
  EXPECT_EQ(gnuplot_script(example_figure(), "f.svg").find("logscale"), std::string::npos);
  EXPECT_NE(gnuplot_script(example_figure(Axes::kLogX), "f.svg").find("logscale x"),
            std::string::npos);
  EXPECT_NE(gnuplot_script(example_figure(Axes::kLogLog), "f.svg").find("logscale y"),
            std::string::npos);
}

TEST(Figure, IsRefusedForAFormatThatIsNotDrawn) {
  EXPECT_THROW(check_can_draw("figure.jpg"), InputError);
  EXPECT_THROW(check_can_draw("figure"), InputError);
  EXPECT_THROW(check_can_draw("fig\nure.svg"), InputError);
  EXPECT_NO_THROW(check_can_draw("figure.svg"));
}

TEST(Figure, LeavesTheFormerPictureWhereThereIsNothingToDraw) {
  const auto file = std::filesystem::path(testing::TempDir()) / "former.svg";
  draw(example_figure(), file);
  const std::string former = read_file(file);
  Figure empty = example_figure(Axes::kLogLog);
  for (Series& series : empty.series) series = {series.label, {}, {}, {}};
  Figure outside = example_figure();
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

// gnuplot's own fontscale, 0.5, made 7 points 4.67.
TEST(Figure, HasLettersOfThePointsAskedForOnPaper) {
  PlotStyle style;
  style.font_size = 7;
  EXPECT_NE(
      gnuplot_script(example_figure(), "f.pdf", style).find("font 'sans-serif,7' fontscale 0.75\n"),
      std::string::npos);
  EXPECT_NE(
      gnuplot_script(example_figure(), "f.eps", style).find("font 'sans-serif,7' fontscale 0.75\n"),
      std::string::npos);
}

TEST(Figure, ShowsWhatIsBelowZero) {
  EXPECT_NE(gnuplot_script(example_figure(), "f.svg").find("set yrange [0:*]"), std::string::npos);
  Figure below = example_figure();
  below.series.front().y.front() = -3;
  EXPECT_EQ(gnuplot_script(below, "f.svg").find("set yrange"), std::string::npos);
  EXPECT_NE(
      gnuplot_script(Panels{"two", {example_figure(), below}}, "f.svg").find("set yrange [-3.255:"),
      std::string::npos);
}

TEST(Figure, HasABlankForALineBreakInALabel) {
  Figure broken = example_figure();
  broken.series.front().label = "two\nlines";
  EXPECT_NE(gnuplot_script(broken, "f.svg").find("title 'two lines'"), std::string::npos);
}

TEST(Figure, HasItsBandWithinItsAxes) {
  PlotStyle style;
  EXPECT_EQ(gnuplot_script(example_figure(), "f.svg", style).find("$b0"), std::string::npos);
  style.y_range = {0, 5};
  const std::string script = gnuplot_script(example_figure(), "f.svg", style);
  EXPECT_NE(script.find("$b0 using 1:2:3 with filledcurves"), std::string::npos) << script;
}

TEST(Figure, HasAMarkOnEveryPointOfAFewAndWholeBars) {
  Figure few = example_figure();
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

TEST(Figure, SaysHowLargeItsPixelsAre) {
  const std::string png = drawn("resolution.png");
  const std::size_t at = png.find("pHYs");
  ASSERT_NE(at, std::string::npos);
  // 288 dots an inch, 11339 a metre; a metre is unit 1; the checksum that zlib gives.
  const std::string expected("pHYs\x00\x00\x2c\x4b\x00\x00\x2c\x4b\x01", 13);
  EXPECT_EQ(png.substr(at, 13), expected);
}

TEST(Figure, SaysWhereItsFontIsNotInstalled) {
  EXPECT_EQ(font_note(gnuplot_script(example_figure(), "f.png"), "f.png").text(), "");
  PlotStyle style;
  style.font = "No Such Font";
  EXPECT_EQ(font_note(gnuplot_script(example_figure(), "f.svg", style), "f.svg").text(), "");
  const std::string note =
      font_note(gnuplot_script(example_figure(), "f.png", style), "f.png").text();
  if (!note.empty()) {  // there is no fontconfig to ask
    EXPECT_NE(note.find("the font 'No Such Font' is not installed: f.png is drawn in "),
              std::string::npos)
        << note;
  }
}

TEST(Figure, FailsWhereItCannotBeWritten) {
  EXPECT_THROW(draw(example_figure(), "no/such/folder/figure.svg"), std::runtime_error);
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
