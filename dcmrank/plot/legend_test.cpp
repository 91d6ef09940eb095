#include "dcmrank/plot/legend.h"

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
  EXPECT_EQ(gnuplot::legend_note(rising(), "f.svg", with_legend(Legend::kTopRight)), "");
}

TEST(Legend, SaysWhereItCoversLines) {
  PlotStyle style = with_legend(Legend::kTopRight);
  style.y_range = {0, 10};
  const std::string note = gnuplot::legend_note(rising(), "f.svg", style);
  EXPECT_NE(note.find("the legend of f.svg covers lines: a y range of 0:1"), std::string::npos)
      << note;
  EXPECT_NE(gnuplot::legend_note(rising(), "f.svg", with_legend(Legend::kBottomLeft))
                .find("another corner"),
            std::string::npos);
  EXPECT_EQ(gnuplot::legend_note(rising(), "f.svg", with_legend(Legend::kBottomRight)), "");
  EXPECT_EQ(gnuplot::legend_note(rising(), "f.svg", with_legend(Legend::kBelow)), "");
}

TEST(Legend, IsBelowWhereAPanelHasNoRoomForIt) {
  Figure wordy = rising();
  wordy.series.front().label = std::string(40, 'x');
  const Panels panels{"three", {wordy, wordy, wordy}};
  const PlotStyle style = with_legend(Legend::kTopLeft);
  EXPECT_EQ(gnuplot::legend_note(panels, "f.svg", style),
            "the legend of f.svg has no room inside a panel: it is below");
  EXPECT_EQ(gnuplot_script(panels, "f.svg", style).find("set key inside"), std::string::npos);
  EXPECT_NE(gnuplot_script(panels, "f.svg", style).find("keyentry"), std::string::npos);
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
