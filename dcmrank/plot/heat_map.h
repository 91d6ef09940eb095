#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "dcmrank/plot/plot_note.h"

namespace dcmrank {

/// A class of values: those up to `most` that belong to no class before it. Classes go from the
/// best to the worst, light to dark, so that they can be told apart in black and white too.
struct HeatClass {
  double most = 0;
  std::string label;
};

/// How many classes have a colour of their own: the first half are kinds of good, the others of
/// bad.
inline constexpr std::size_t kHeatClasses = 6;

struct HeatRow {
  std::string label;
  std::vector<double> values;           // by column; not a number: none
  std::vector<std::uint8_t> is_marked;  // by column
};

struct HeatGroup {
  std::string label;
  std::vector<HeatRow> rows;
};

/// Values in rows, which stand in groups, and columns: who does well where.
struct HeatMap {
  std::string title;
  std::vector<std::string> columns;  // broken into lines after ':' and ','
  std::vector<HeatGroup> groups;
  std::vector<HeatClass> classes;  // at most kHeatClasses; the last takes all that is left
  std::string mark_label;          // what a triangle means
};

/// Whether its rows are high enough for their labels and values; where there are very many, they
/// are only lines of colour.
bool has_room_for_labels(const HeatMap& map);

/// The gnuplot program that draws it.
std::string gnuplot_script(const HeatMap& map, const std::filesystem::path& file);

namespace gnuplot {
/// Empty: its sheet is as large as it needs.
inline PlotNote size_note(const HeatMap& /*map*/, const std::filesystem::path& /*file*/) {
  return {};
}
/// Its legend has a place of its own, and its axes have no ranges.
inline PlotNote legend_note(const HeatMap& /*map*/, const std::filesystem::path& /*file*/) {
  return {};
}
inline void check_points_of(const HeatMap& /*map*/, const std::filesystem::path& /*file*/) {}
}  // namespace gnuplot

}  // namespace dcmrank
