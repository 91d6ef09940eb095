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
#include "dcmrank/sweep/likeness.h"
#include "dcmrank/sweep/means.h"
#include "dcmrank/sweep/sweep.h"

namespace dcmrank {
namespace {

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
  std::string name_of(double place) const {
    return names_.empty() ? fmt::format("{}", place) : names_[static_cast<std::size_t>(place) - 1];
  }

 private:
  std::size_t at_;
  std::vector<std::string> names_;
};

// Nothing where a row has no such parameter: it is not in the picture.
std::optional<double> drawn(const std::string& name, const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) {
    throw InputError(fmt::format("--y {}: {} is not a number", name, quote(*text)));
  }
  return number_in(cell);
}

// The rows that are in the picture, and where they are in the whole table.
struct Drawn {
  DataTable table;
  std::vector<std::size_t> places;
};

Drawn drawn_rows(const PicturePlan& plan, const DataTable& all) {
  Drawn rows{{all.heading, {}}, {}};
  const std::size_t x = column_of("--x", plan.x, all);
  const std::size_t y = column_of("--y", plan.y, all);
  for (const std::size_t place : places_where(plan.where, all)) {
    const auto& row = all.rows[place];
    const auto value = drawn(plan.y, row[y]);
    if (is_missing(row[x]) || !value) continue;
    rows.table.rows.push_back(row);
    rows.places.push_back(place);
  }
  return rows;
}

// Parameters of the rows that differ between those that share a point, besides those that only
// follow from others: a problem's name from its parameters, a policy's options from the policy. A
// parameter that some do not have is not one that differs.
std::vector<std::string> averaged_over(const PicturePlan& plan, const DataTable& table) {
  const ColumnValues x("--x", plan.x, table);
  const ColumnValues series("--series", plan.series, table);
  const ColumnValues facets("--facet", plan.facet, table);
  std::map<std::vector<std::string>, std::vector<std::string>> first;  // values of each point
  std::set<std::size_t> differ;
  for (const auto& row : table.rows) {
    auto& values = first[{x.of(row), series.of(row), facets.of(row)}];
    values.resize(row.size());
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (is_missing(row[c])) continue;
      if (values[c].empty()) values[c] = text_in(row[c]);
      if (text_in(row[c]) != values[c]) differ.insert(c);
    }
  }
  std::vector<std::string> names;
  for (const std::size_t c : differ) {
    const std::string& name = table.heading[c];
    if (!is_measured(name) && name != "best_list_searched") names.push_back(name);
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

// In words, where the name of a column says little without the table.
std::string words_of(const std::string& column) {
  return column == "number" ? "random worlds" : column;
}

std::string title_of(const PicturePlan& plan, const PicturePoints& points, const DataTable& table) {
  const bool are_means = std::any_of(points.begin(), points.end(), [](const auto& line) {
    return std::any_of(line.second.begin(), line.second.end(),
                       [](const auto& point) { return point.second.size() > 1; });
  });
  auto over = averaged_over(plan, table);
  std::ranges::transform(over, over.begin(), words_of);
  return fmt::format("{} by {}{}", plan.y, plan.x,
                     !are_means     ? ""
                     : over.empty() ? ", means over cells"
                                    : fmt::format(", means over {}", fmt::join(over, ", ")));
}

// It has a band only if all of its points have an error.
Series line_of(const std::string& label, const PointsOfLine& points, const PicturePlan& plan,
               const DataTable& all, std::span<const SweepCell> cells) {
  Series line{label, {}, {}, {}};
  bool has_errors = true;
  for (const auto& [x, places] : points) {
    const Summary mean = mean_of_cells(all, cells, places, plan.y).value;
    line.x.push_back(x);
    line.y.push_back(mean.mean);
    line.error.push_back(mean.stderr_);
    has_errors = has_errors && mean.has_error();
  }
  if (!has_errors) line.error.clear();
  return line;
}

bool has_errors(const Panels& panels) {
  return std::any_of(panels.figures.begin(), panels.figures.end(), [](const Figure& panel) {
    return std::any_of(panel.series.begin(), panel.series.end(),
                       [](const Series& line) { return !line.error.empty(); });
  });
}

std::string shown_name(const PicturePlan& plan, const std::string& column,
                       const std::string& value) {
  const auto named = column == "policy" ? plan.names.find(value) : plan.names.end();
  return named == plan.names.end() ? value : named->second;
}

PicturePoints points_of(const PicturePlan& plan, const Drawn& rows, const Along& x,
                        const ColumnValues& series, const ColumnValues& facets) {
  PicturePoints points;
  for (std::size_t r = 0; r < rows.places.size(); ++r) {
    const auto& row = rows.table.rows[r];
    points[{facets.of(row), series.of(row)}][x.of(row).value()].push_back(rows.places[r]);
  }
  if (points.empty()) {
    throw InputError(fmt::format("--x {}, --y {}: no row has both", plan.x, plan.y));
  }
  return points;
}

}  // namespace

Panels panels_of(const PicturePlan& plan, const DataTable& all, std::span<const SweepCell> cells) {
  const Drawn rows = drawn_rows(plan, all);
  const Along x(plan, rows.table);
  const ColumnValues series("--series", plan.series, rows.table);
  const ColumnValues facets("--facet", plan.facet, rows.table);
  const PicturePoints points = points_of(plan, rows, x, series, facets);
  Panels panels{title_of(plan, points, rows.table), {}};
  for (const std::string& facet : facets.all()) {
    const bool named = plan.facet == "policy" && plan.names.contains(facet);
    Figure panel{plan.facet.empty() ? panels.title
                 : named            ? plan.names.at(facet)
                                    : fmt::format("{} = {}", plan.facet, facet),
                 plan.x,
                 plan.y,
                 plan.axes,
                 {}};
    for (const std::string& value : series.all()) {
      const auto found = points.find({facet, value});
      const std::string label = plan.series.empty() || plan.series == "policy"
                                    ? shown_name(plan, plan.series, value)
                                    : fmt::format("{} = {}", plan.series, value);
      // A line without points keeps its place, so that colours mean the same in all panels.
      panel.series.push_back(found == points.end()
                                 ? Series{label, {}, {}, {}}
                                 : line_of(label, found->second, plan, all, cells));
    }
    for (const std::string& name : x.names()) {
      panel.categories.push_back(shown_name(plan, plan.x, name));
    }
    if (!panel.categories.empty()) stand_side_by_side(panel.series);
    panels.figures.push_back(std::move(panel));
  }
  if (has_errors(panels)) {
    for (Figure& panel : panels.figures) panel.y_label += " ± standard error";
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

// What the errors of the points are, where these are means.
std::string errors_text(const PicturePoints& points, const PicturePlan& plan, const DataTable& all,
                        std::span<const SweepCell> cells) {
  std::set<ErrorOf> errors;
  for (const auto& [where, line] : points) {
    for (const auto& [along, places] : line) {
      if (places.size() > 1) errors.insert(mean_of_cells(all, cells, places, plan.y).error);
    }
  }
  std::vector<std::string> texts;
  if (errors.contains(ErrorOf::kWorlds)) texts.emplace_back("over the worlds that were drawn");
  if (errors.contains(ErrorOf::kRuns)) texts.emplace_back("over the runs, of these very cells");
  if (texts.empty()) return "they have no error";
  return fmt::format("their standard error is that {}", fmt::join(texts, ", or "));
}

// A mean over other problems than those of its neighbours is not to be compared with them.
void add_unlike(const PicturePlan& plan, const PicturePoints& points, const Along& x,
                const DataTable& all, std::vector<std::string>& notes) {
  const auto [elsewhere, along] = likeness_of(plan, points, all);
  if (elsewhere.empty()) return;
  constexpr std::size_t kMostNamed = 5;
  const bool few = 2 * elsewhere.size() <= along && elsewhere.size() <= kMostNamed;
  std::vector<std::string> named;
  named.reserve(elsewhere.size());
  for (const double place : elsewhere) named.push_back(x.name_of(place));
  notes.push_back(
      fmt::format("points of a line are not means over the same cells{}: what differs between them "
                  "may be the cells; "
                  "--where COLUMN=VALUE takes those that are alike",
                  few ? fmt::format(", those at {} = {} over others than the rest", plan.x,
                                    fmt::join(named, ", "))
                      : ""));
}

void add_averaged(const PicturePlan& plan, const Drawn& rows, const DataTable& all,
                  std::span<const SweepCell> cells, std::vector<std::string>& notes) {
  std::vector<std::string> over;
  for (const std::string& name : averaged_over(plan, rows.table)) {
    const auto values = ColumnValues("", name, rows.table).all();
    const auto n = static_cast<std::size_t>(
        std::count_if(values.begin(), values.end(), [](const auto& v) { return v != "none"; }));
    over.push_back(name == "number" ? fmt::format("{} ({})", words_of(name), n)
                                    : fmt::format("{} ({})", words_of(name), how_many(n, "value")));
  }
  if (over.empty()) return;
  const Along x(plan, rows.table);
  const PicturePoints points = points_of(plan, rows, x, {"--series", plan.series, rows.table},
                                         {"--facet", plan.facet, rows.table});
  notes.push_back(
      fmt::format("points are means over {}: --series, --facet or --where COLUMN=VALUE tells them "
                  "apart; {}",
                  fmt::join(over, ", "), errors_text(points, plan, all, cells)));
  add_unlike(plan, points, x, all, notes);
}

// Clicks and satisfied users are not one unit.
void add_rewards(const PicturePlan& plan, const DataTable& table, std::vector<std::string>& notes) {
  const auto at = std::find(table.heading.begin(), table.heading.end(), "reward_kind");
  if (at == table.heading.end() || !is_measured(plan.y) || plan.y == "linear_runs") return;
  const auto kind = static_cast<std::size_t>(at - table.heading.begin());
  const std::size_t model = column_of("--x", "model", table);
  std::map<std::string, std::set<std::string>> models;  // by kind
  for (const auto& row : table.rows) models[text_in(row[kind])].insert(text_in(row[model]));
  if (models.size() < 2) return;
  std::vector<std::string> texts;
  texts.reserve(models.size());
  for (const auto& [reward, of] : models) {
    texts.push_back(fmt::format("{} ({})", reward, fmt::join(of, ", ")));
  }
  notes.push_back(
      fmt::format("one axis has several kinds of {}, which are not to be compared: {}; --where "
                  "reward_kind=clicks draws one",
                  plan.y, fmt::join(texts, ", ")));
}

}  // namespace

std::vector<std::string> picture_notes(const PicturePlan& plan, const DataTable& all,
                                       std::span<const SweepCell> cells) {
  const Drawn rows = drawn_rows(plan, all);
  std::vector<std::string> notes;
  add_left_out(plan, rows_where(plan.where, all), notes);
  add_averaged(plan, rows, all, cells, notes);
  add_rewards(plan, rows.table, notes);
  return notes;
}

}  // namespace dcmrank
