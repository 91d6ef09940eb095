#include "dcmrank/plot/heat_map.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>

#include "dcmrank/base/atomic_file.h"
#include "dcmrank/plot/draw.h"

namespace dcmrank {
namespace {

HeatMap heat_map() {
  return {"It's a title",
          {"first", "a:b=c"},
          {{"dcm", {{"world 1", {1, 2.5}, {0, 0}}, {"world 2", {1.2, 120}, {0, 1}}}}},
          {{1.1, "good"}, {2, "fair"}, {3, "bad"}, {0, "worse"}},
          "marked"};
}

TEST(HeatMap, ShowsItsLabelsValuesAndClasses) {
  const auto file = std::filesystem::path(testing::TempDir()) / "heat.svg";
  draw(heat_map(), file);
  const std::string svg = read_file(file);
  std::filesystem::remove(file);
  for (const char* text : {"It's a title", "first", "a:", "b=c", "dcm", "world 1", "world 2",
                           "2.50", "120", "good", "fair", "bad", "worse", "marked"}) {
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  }
}

TEST(HeatMap, ColoursAValueByTheFirstClassThatTakesIt) {
  const std::string script = gnuplot_script(heat_map(), "f.svg");
  const auto colour_of = [&](const char* label) {
    const std::size_t title = script.find(std::string("title '") + label + "'");
    return script.substr(script.rfind("0x", title), 8);
  };
  const auto has_box = [&](int column, const char* label) {
    const std::string boxes = script.substr(script.find("$boxes"), script.find("$values"));
    const std::string at = "\n" + std::to_string(column) + " ";
    for (std::size_t i = boxes.find(at); i != std::string::npos; i = boxes.find(at, i + 1)) {
      if (boxes.substr(i + 1, boxes.find('\n', i + 1) - i - 1).ends_with(colour_of(label))) {
        return true;
      }
    }
    return false;
  };
  EXPECT_TRUE(has_box(1, "good"));
  EXPECT_TRUE(has_box(1, "fair"));
  EXPECT_FALSE(has_box(1, "worse"));
  EXPECT_TRUE(has_box(2, "bad"));
  EXPECT_TRUE(has_box(2, "worse"));
}

TEST(HeatMap, HasADashAndNoColourWhereThereIsNoValue) {
  HeatMap map = heat_map();
  map.groups[0].rows.push_back({"world 3", {NAN, NAN}, {0, 0}});
  const auto count = [](const std::string& script, const char* from, const char* to) {
    const std::size_t begin = script.find(from);
    return std::count(script.begin() + static_cast<std::ptrdiff_t>(begin),
                      script.begin() + static_cast<std::ptrdiff_t>(script.find(to, begin)), '\n');
  };
  const std::string before = gnuplot_script(heat_map(), "f.svg");
  const std::string script = gnuplot_script(map, "f.svg");
  EXPECT_EQ(count(script, "$boxes <<", "$values <<"), count(before, "$boxes <<", "$values <<"));
  EXPECT_NE(script.find(" \"-\" "), std::string::npos);
}

TEST(HeatMap, LeavesOutLabelsWhereThereAreVeryManyRows) {
  HeatMap map = heat_map();
  EXPECT_TRUE(has_room_for_labels(map));
  for (int i = 0; i < 100; ++i) map.groups[0].rows.push_back({"many", {1, 1}, {0, 0}});
  EXPECT_FALSE(has_room_for_labels(map));
  const std::string script = gnuplot_script(map, "f.svg");
  EXPECT_EQ(script.find("many"), std::string::npos);
  EXPECT_NE(script.find("'{/:Bold dcm}'"), std::string::npos);
}

}  // namespace
}  // namespace dcmrank
