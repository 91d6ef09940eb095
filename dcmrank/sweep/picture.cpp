#include "dcmrank/sweep/picture.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/numeric/summary.h"
#include "dcmrank/sweep/columns.h"
#include "dcmrank/sweep/sweep.h"

namespace dcmrank {
namespace {

struct Point {
  std::vector<double> y;
  std::vector<double> error;  // empty where the column has none
};

// Where the values of a column are along the axis: numbers where they are, texts one by one from 1.
class Along {
 public:
  Along(const PicturePlan& plan, const DataTable& table) : at_(column_of("--x", plan.x, table)) {
    const auto is_text = [&](const auto& row) {
      return std::holds_alternative<std::string>(row[at_]);
    };
    if (std::none_of(table.rows.begin(), table.rows.end(), is_text)) return;
    if (plan.axes == Axes::kLogX) {
      throw InputError(fmt::format("--axes logx: --x {} has names, not numbers", plan.x));
    }
    for (const auto& row : table.rows) {
      if (is_missing(row[at_])) continue;
      const std::string name = text_in(row[at_]);
      if (std::find(names_.begin(), names_.end(), name) == names_.end()) names_.push_back(name);
    }
  }
  std::optional<double> of(const std::vector<Cell>& row) const {
    if (names_.empty()) return number_in(row[at_]);
    const auto found = std::find(names_.begin(), names_.end(), text_in(row[at_]));
    if (is_missing(row[at_]) || found == names_.end()) return std::nullopt;
    return static_cast<double>(found - names_.begin()) + 1;
  }
  const std::vector<std::string>& names() const { return names_; }  // empty for numbers

 private:
  std::size_t at_;
  std::vector<std::string> names_;
};

// By panel and line, then along the axis.
using Points = std::map<std::pair<std::string, std::string>, std::map<double, Point>>;

// Parameters of the table that differ between rows that share a point, besides those that only
// follow from others: a problem's name from its parameters, a policy's options from the policy.
std::vector<std::string> averaged_over(const PicturePlan& plan, const DataTable& table) {
  const ColumnValues x("--x", plan.x, table);
  const ColumnValues series("--series", plan.series, table);
  const ColumnValues facets("--facet", plan.facet, table);
  std::map<std::vector<std::string>, const std::vector<Cell>*> first;  // of each point
  std::set<std::size_t> differ;
  const std::size_t along = column_of("--x", plan.x, table);
  for (const auto& row : table.rows) {
    if (is_missing(row[along])) continue;  // not drawn
    const auto& other =
        *first.emplace(std::vector{x.of(row), series.of(row), facets.of(row)}, &row).first->second;
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (text_in(row[c]) != text_in(other[c])) differ.insert(c);
    }
  }
  std::vector<std::string> names;
  for (const std::size_t c : differ) {
    if (!is_measured(table.heading[c])) names.push_back(table.heading[c]);
  }
  const auto has = [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (has("policy")) {
    std::erase_if(names, [](const std::string& name) { return name.starts_with("policy_"); });
  }
  const auto says_little = [](const std::string& name) {
    return name == "problem" || name == "source";
  };
  const bool others = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return !says_little(name) && !name.starts_with("policy");
  });
  if (others) std::erase_if(names, says_little);
  return names;
}

std::string title_of(const PicturePlan& plan, const Points& points, const DataTable& table) {
  const bool are_means = std::any_of(points.begin(), points.end(), [](const auto& line) {
    return std::any_of(line.second.begin(), line.second.end(),
                       [](const auto& point) { return point.second.y.size() > 1; });
  });
  const auto over = averaged_over(plan, table);
  return fmt::format("{} by {}{}", plan.y, plan.x,
                     !are_means     ? ""
                     : over.empty() ? ", means over cells"
                                    : fmt::format(", means over {}", fmt::join(over, ", ")));
}

Summary mean_of(const Point& point) {
  if (point.y.size() > 1) return summarise(point.y);
  return {point.y.front(), point.error.empty() ? std::nan("") : point.error.front()};
}

// Nothing where a row has no such parameter: it is not in the picture.
std::optional<double> drawn(const std::string& name, const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) {
    throw InputError(fmt::format("--y {}: {} is not a number", name, quote(*text)));
  }
  return number_in(cell);
}

// Points of one name side by side, in the order of their series.
void stand_side_by_side(std::vector<Series>& series) {
  constexpr double kShare = 0.6;  // of the way to the next name
  const auto n = static_cast<double>(series.size());
  for (std::size_t s = 0; s < series.size(); ++s) {
    series[s].style = Style::kPoints;
    for (double& x : series[s].x) x += kShare * ((static_cast<double>(s) + 0.5) / n - 0.5);
  }
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

Panels panels_of(const PicturePlan& plan, const DataTable& all) {
  const DataTable table = rows_where(plan.where, all);
  const Along x(plan, table);
  const std::size_t y = column_of("--y", plan.y, table);
  const auto error_at = std::find(table.heading.begin(), table.heading.end(), plan.y + "_stderr");
  const ColumnValues series("--series", plan.series, table);
  const ColumnValues facets("--facet", plan.facet, table);
  Points points;
  for (const auto& row : table.rows) {
    const auto along = x.of(row);
    const auto value = drawn(plan.y, row[y]);
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
  Panels panels{title_of(plan, points, table), {}};
  for (const std::string& facet : facets.all()) {
    Figure panel{plan.facet.empty() ? panels.title : fmt::format("{} = {}", plan.facet, facet),
                 plan.x,
                 plan.y,
                 plan.axes,
                 {}};
    for (const std::string& value : series.all()) {
      const auto found = points.find({facet, value});
      const std::string label = plan.series.empty() || plan.series == "policy"
                                    ? value
                                    : fmt::format("{} = {}", plan.series, value);
      // A line without points keeps its place, so that colours mean the same in all panels.
      panel.series.push_back(found == points.end() ? Series{label, {}, {}, {}}
                                                   : line_of(label, found->second));
    }
    panel.categories = x.names();
    if (!panel.categories.empty()) stand_side_by_side(panel.series);
    panels.figures.push_back(std::move(panel));
  }
  return panels;
}

namespace {

void add_left_out(const PicturePlan& plan, const DataTable& table,
                  std::vector<std::string>& notes) {
  const auto look = [&](const std::string& option, const std::string& name, bool logarithmic) {
    const std::size_t at = column_of(option, name, table);
    std::size_t absent = 0;
    std::size_t low = 0;
    for (const auto& row : table.rows) {
      const auto value = number_in(row[at]);
      absent += is_missing(row[at]) ? 1 : 0;
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
}

void add_averaged(const PicturePlan& plan, const DataTable& table,
                  std::vector<std::string>& notes) {
  std::vector<std::string> over;
  for (const std::string& name : averaged_over(plan, table)) {
    const std::size_t n = ColumnValues("", name, table).all().size();
    over.push_back(fmt::format("{} ({})", name, how_many(n, "value")));
  }
  if (over.empty()) return;
  notes.push_back(fmt::format(
      "points are means over {}: --series, --facet or --where COLUMN=VALUE tells them apart",
      fmt::join(over, ", ")));
}

}  // namespace

std::vector<std::string> picture_notes(const PicturePlan& plan, const DataTable& all) {
  const DataTable table = rows_where(plan.where, all);
  std::vector<std::string> notes;
  add_left_out(plan, table, notes);
  add_averaged(plan, table, notes);
  return notes;
}

}  // namespace dcmrank
