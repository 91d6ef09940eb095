#include "dcmrank/sweep/picture.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "dcmrank/base/choices.h"
#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/numeric/summary.h"

namespace dcmrank {
namespace {

std::optional<double> number_in(const Cell& cell) {
  if (const auto* whole = std::get_if<std::uint64_t>(&cell)) return static_cast<double>(*whole);
  if (const auto* number = std::get_if<double>(&cell)) {
    if (!std::isnan(*number)) return *number;
  }
  return std::nullopt;
}

std::string text_in(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  const auto number = number_in(cell);
  return number ? fmt::format("{}", *number) : "none";
}

std::size_t column(const std::string& option, const std::string& name,
                   const std::vector<std::string>& heading) {
  const auto at = std::find(heading.begin(), heading.end(), name);
  if (at == heading.end()) throw_unknown(option, name, heading);
  return static_cast<std::size_t>(at - heading.begin());
}

// The values of a column in the order in which they first occur; one empty text for no column.
struct Groups {
  Groups(const std::string& option, const std::string& name, const DataTable& table) {
    if (name.empty()) return;
    at = column(option, name, table.heading);
    values.clear();
    for (const auto& row : table.rows) {
      const std::string value = of(row);
      if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
    }
  }
  std::string of(const std::vector<Cell>& row) const { return at ? text_in(row[*at]) : ""; }

  std::optional<std::size_t> at{};
  std::vector<std::string> values{""};
};

struct Point {
  std::vector<double> y;
  std::vector<double> error;  // empty where the column has none
};

// By panel and line, then along the axis.
using Points = std::map<std::pair<std::string, std::string>, std::map<double, Point>>;

std::string title_of(const PicturePlan& plan, const Points& points) {
  const bool are_means = std::any_of(points.begin(), points.end(), [](const auto& line) {
    return std::any_of(line.second.begin(), line.second.end(),
                       [](const auto& point) { return point.second.y.size() > 1; });
  });
  return fmt::format("{} by {}{}", plan.y, plan.x, are_means ? ", means over cells" : "");
}

Summary mean_of(const Point& point) {
  if (point.y.size() > 1) return summarise(point.y);
  return {point.y.front(), point.error.empty() ? std::nan("") : point.error.front()};
}

// Nothing where a row has no such parameter: it is not in the picture.
std::optional<double> drawn(const std::string& option, const std::string& name, const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) {
    throw InputError(fmt::format("{} {}: {} is not a number", option, name, quote(*text)));
  }
  return number_in(cell);
}

Series line_of(const std::string& label, const std::map<double, Point>& points) {
  Series line{label, {}, {}, {}};
  for (const auto& [x, point] : points) {
    const Summary mean = mean_of(point);
    line.x.push_back(x);
    line.y.push_back(mean.mean);
    line.error.push_back(mean.has_error() ? mean.stderr_ : 0);
  }
  return line;
}

}  // namespace

Panels panels_of(const PicturePlan& plan, const DataTable& table) {
  const std::size_t x = column("--x", plan.x, table.heading);
  const std::size_t y = column("--y", plan.y, table.heading);
  const auto error_at = std::find(table.heading.begin(), table.heading.end(), plan.y + "_stderr");
  const Groups series("--series", plan.series, table);
  const Groups facets("--facet", plan.facet, table);
  Points points;
  for (const auto& row : table.rows) {
    const auto along = drawn("--x", plan.x, row[x]);
    const auto value = drawn("--y", plan.y, row[y]);
    if (!along || !value) continue;
    Point& point = points[{facets.of(row), series.of(row)}][*along];
    point.y.push_back(*value);
    if (error_at == table.heading.end()) continue;
    const auto error = number_in(row[static_cast<std::size_t>(error_at - table.heading.begin())]);
    if (error) point.error.push_back(*error);
  }
  if (points.empty()) {
    throw InputError(fmt::format("--x {}, --y {}: no row has both", plan.x, plan.y));
  }
  Panels panels{title_of(plan, points), {}};
  for (const std::string& facet : facets.values) {
    Figure panel{plan.facet.empty() ? panels.title : fmt::format("{} = {}", plan.facet, facet),
                 plan.x,
                 plan.y,
                 plan.axes,
                 {}};
    for (const std::string& value : series.values) {
      const auto found = points.find({facet, value});
      const std::string label = plan.series.empty() || plan.series == "policy"
                                    ? value
                                    : fmt::format("{} = {}", plan.series, value);
      // A line without points keeps its place, so that colours mean the same in all panels.
      panel.series.push_back(found == points.end() ? Series{label, {}, {}, {}}
                                                   : line_of(label, found->second));
    }
    panels.figures.push_back(std::move(panel));
  }
  return panels;
}

std::vector<std::string> left_out_notes(const PicturePlan& plan, const DataTable& table) {
  std::vector<std::string> notes;
  const auto look = [&](const std::string& option, const std::string& name, bool logarithmic) {
    const std::size_t at = column(option, name, table.heading);
    std::size_t absent = 0;
    std::size_t low = 0;
    for (const auto& row : table.rows) {
      const auto value = number_in(row[at]);
      absent += value ? 0 : 1;
      low += logarithmic && value && *value <= 0 ? 1 : 0;
    }
    const auto add = [&](std::size_t n, const char* why) {
      if (n == 0) return;
      notes.push_back(fmt::format("{} of {} are not in the picture: {} {}", n,
                                  how_many(table.rows.size(), "cell"), why, name));
    };
    add(absent, "they have no");
    add(low, "a logarithmic axis has no place for 0 or a negative");
  };
  look("--x", plan.x, plan.axes != Axes::kLinear);
  look("--y", plan.y, plan.axes == Axes::kLogLog);
  return notes;
}

}  // namespace dcmrank
