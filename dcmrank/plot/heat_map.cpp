#include "dcmrank/plot/heat_map.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "dcmrank/plot/gnuplot.h"

namespace dcmrank {
namespace {

using gnuplot::literal;

constexpr std::array<std::string_view, kHeatClasses> kHeatColours{
    "0xf1f6fb", "0xcbe0f1", "0x9ac3e0", "0xdb7f43", "0xaa4716", "0x5f2000"};
constexpr std::size_t kFirstDark = 4;  // of the colours that need white letters
constexpr std::string_view kDarkInk = "0x000000";
constexpr std::string_view kLightInk = "0xffffff";

// In pixels of a screen.
constexpr double kLetter = 9.2;
constexpr double kLine = 19;
constexpr double kRow = 24;
constexpr double kTitle = 44;
constexpr std::size_t kMostLabelledRows = 80;

std::size_t count_rows(const HeatMap& map) {
  std::size_t n = 0;
  for (const HeatGroup& group : map.groups) n += group.rows.size();
  return n;
}

double row_height(const HeatMap& map) {
  if (has_room_for_labels(map)) return kRow;
  return std::clamp(1200 / static_cast<double>(count_rows(map)), 2.0, 12.0);
}

// "dcm-ts:counting=em,order=learned" in three lines.
std::vector<std::string> lines_of(const std::string& column) {
  std::vector<std::string> lines(1);
  for (const char c : column) {
    lines.back() += c;
    if (c == ':' || c == ',') lines.emplace_back();
  }
  return lines;
}

// Where things are: y grows downwards from the first group, x in columns from 1.
struct Layout {
  double left = 0;    // what row labels need
  double column = 0;  // the width of one
  double head = 0;    // the height of column labels
  double height = 0;  // of all groups
  double key = 0;
};

Layout layout_of(const HeatMap& map) {
  Layout layout;
  std::size_t label = 8;
  for (const HeatGroup& group : map.groups) {
    label = std::max(label, group.label.size());
    layout.height += kLine + 8 + row_height(map) * static_cast<double>(group.rows.size());
    if (!has_room_for_labels(map)) continue;
    for (const HeatRow& row : group.rows) label = std::max(label, row.label.size());
  }
  std::size_t longest = 0;
  std::size_t lines = 0;
  for (const std::string& column : map.columns) {
    const auto parts = lines_of(column);
    lines = std::max(lines, parts.size());
    for (const std::string& part : parts) longest = std::max(longest, part.size());
  }
  layout.left = kLetter * static_cast<double>(std::min<std::size_t>(label, 40)) + 20;
  layout.column = std::max(90.0, kLetter * static_cast<double>(longest) + 14);
  const double least = (760 - layout.left) / static_cast<double>(map.columns.size());
  layout.column = std::max(layout.column, least);
  layout.head = kLine * static_cast<double>(lines) + 10;
  const std::size_t pairs = (map.classes.size() + 1 + 1) / 2;
  layout.key = kLine * 1.4 * static_cast<double>(pairs) + 20;
  return layout;
}

std::size_t class_of(const HeatMap& map, double value) {
  std::size_t c = 0;
  while (c + 1 < map.classes.size() && value > map.classes[c].most) ++c;
  return c;
}

std::string value_text(double value) {
  if (value >= 100) return fmt::format("{:.0f}", value);
  return fmt::format("{:.{}f}", value, value < 10 ? 2 : 1);
}

// Boxes, values, marks and labels, each in the words that gnuplot reads.
struct Pieces {
  std::string boxes;
  std::string values;
  std::string marks;
  std::string labels;
};

void add_row(const HeatMap& map, const HeatRow& row, double y, Pieces& pieces) {
  const double height = row_height(map);
  const bool labelled = has_room_for_labels(map);
  const double gap = labelled ? 1 : 0;
  const double middle = y + height / 2;
  for (std::size_t c = 0; c < row.values.size(); ++c) {
    const double x = static_cast<double>(c) + 1;
    if (std::isnan(row.values[c])) {
      if (labelled) {
        fmt::format_to(std::back_inserter(pieces.values), "{} {} \"-\" {}\n", x, middle, kDarkInk);
      }
      continue;
    }
    const std::size_t heat = class_of(map, row.values[c]);
    const auto ink = heat >= kFirstDark ? kLightInk : kDarkInk;
    fmt::format_to(std::back_inserter(pieces.boxes), "{} {} {} {} {} {} {}\n", x, middle, x - 0.49,
                   x + 0.49, y + gap, y + height - gap, kHeatColours[heat]);
    if (labelled) {
      fmt::format_to(std::back_inserter(pieces.values), "{} {} {} {}\n", x, middle,
                     value_text(row.values[c]), ink);
    }
    if (row.is_marked[c] != 0) {
      fmt::format_to(std::back_inserter(pieces.marks), "{} {} {}\n", labelled ? x + 0.34 : x,
                     middle, ink);
    }
  }
  if (!labelled) return;
  fmt::format_to(std::back_inserter(pieces.labels),
                 "set label {} at first 0.5, first {} right offset character -1, 0 noenhanced\n",
                 literal(row.label), middle);
}

// In gnuplot's enhanced text, where every character that means something there stands for itself.
std::string bold(std::string_view text) {
  std::string out = "{/:Bold ";
  for (const char c : text) {
    if (std::string_view("\\{}^_@&~").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out + '}';
}

Pieces pieces_of(const HeatMap& map) {
  Pieces pieces;
  double y = 0;
  for (const HeatGroup& group : map.groups) {
    y += kLine + 8;
    // A heading above the group where rows have labels, else beside the group.
    const double at = has_room_for_labels(map) ? y - kLine / 2 - 2 : y + kLine / 2;
    fmt::format_to(std::back_inserter(pieces.labels),
                   "set label {} at first 0.5, first {} right offset character -1, 0 enhanced\n",
                   literal(bold(group.label)), at);
    for (const HeatRow& row : group.rows) {
      add_row(map, row, y, pieces);
      y += row_height(map);
    }
  }
  return pieces;
}

void add_columns(const HeatMap& map, std::string& script) {
  for (std::size_t c = 0; c < map.columns.size(); ++c) {
    const auto lines = lines_of(map.columns[c]);
    double y = -kLine * static_cast<double>(lines.size()) + kLine / 2 - 4;
    for (const std::string& line : lines) {
      fmt::format_to(std::back_inserter(script),
                     "set label {} at first {}, first {} center noenhanced\n", literal(line), c + 1,
                     y);
      y += kLine;
    }
  }
}

std::string block(const char* name, const std::string& lines) {
  return fmt::format("${} << END\n{}END\n", name, lines);
}

}  // namespace

bool has_room_for_labels(const HeatMap& map) { return count_rows(map) <= kMostLabelledRows; }

std::string gnuplot_script(const HeatMap& map, const std::filesystem::path& file) {
  const Layout layout = layout_of(map);
  const double width = layout.left + layout.column * static_cast<double>(map.columns.size()) + 20;
  const double drawn = layout.head + layout.height;
  const double height = kTitle + drawn + layout.key;
  std::string script = fmt::format(
      "set encoding utf8\nset terminal {}\nset output {}\nset title {} noenhanced\n"
      "set lmargin at screen {}\nset rmargin at screen {}\nset tmargin at screen {}\n"
      "set bmargin at screen {}\nset xrange [0.5:{}]\nset yrange [{}:{}]\n"
      "unset border\nunset tics\nset style fill solid 1 noborder\n"
      "set key below Left reverse noenhanced maxcols 2 samplen 2 spacing 1.2\n",
      gnuplot::terminal(file, {width, height}), literal(file.string()), literal(map.title),
      layout.left / width, 1 - 20 / width, 1 - kTitle / height, layout.key / height,
      static_cast<double>(map.columns.size()) + 0.5, layout.height, -layout.head);
  const Pieces pieces = pieces_of(map);
  script += pieces.labels;
  add_columns(map, script);
  script +=
      block("boxes", pieces.boxes) + block("values", pieces.values) + block("marks", pieces.marks);
  script += "plot $boxes using 1:2:3:4:5:6:7 with boxxyerror lc rgb variable notitle";
  if (!pieces.values.empty()) {
    script += ", \\\n $values using 1:2:3:4 with labels tc rgb variable notitle";
  }
  const double size = std::clamp(row_height(map) / 12, 0.4, 1.4);
  if (!pieces.marks.empty()) {
    script += fmt::format(
        ", \\\n $marks using 1:2:3 with points pt 9 ps {} lc rgb variable notitle", size);
  }
  for (std::size_t c = 0; c < map.classes.size(); ++c) {
    script +=
        fmt::format(", \\\n NaN with boxes fs solid 1 border lc rgb '#888888' fc rgb {} title {}",
                    kHeatColours[c], literal(map.classes[c].label));
  }
  script += fmt::format(", \\\n NaN with points pt 9 ps 1.4 lc rgb 0x000000 title {}\n",
                        literal(map.mark_label));
  return script + "unset output\n";
}

}  // namespace dcmrank
