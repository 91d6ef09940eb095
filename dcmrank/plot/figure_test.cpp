#include "dcmrank/plot/figure.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "dcmrank/base/atomic_file.h"
#include "dcmrank/base/error.h"
#include "dcmrank/plot/draw.h"

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

TEST(Figure, FailsWhereItCannotBeWritten) {
  EXPECT_THROW(draw(figure(), "no/such/folder/figure.svg"), std::runtime_error);
}

}  // namespace
}  // namespace dcmrank
