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
  EXPECT_NO_THROW(check_can_draw("figure.svg"));
}

TEST(Figure, FailsWhereItCannotBeWritten) {
  EXPECT_THROW(draw(figure(), "no/such/folder/figure.svg"), std::runtime_error);
}

}  // namespace
}  // namespace dcmrank
