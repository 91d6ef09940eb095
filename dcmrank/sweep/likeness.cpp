#include "dcmrank/sweep/likeness.h"

#include <algorithm>
#include <set>

#include "dcmrank/sweep/columns.h"
#include "dcmrank/sweep/sweep.h"

namespace dcmrank {
namespace {

// What makes a cell another one than a cell elsewhere on the same line. Where problems themselves
// are along the axis, all that they differ in says where a point is.
std::vector<std::size_t> telling_columns(const PicturePlan& plan, const DataTable& table) {
  const auto is_one_of = [](const std::string& name, const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const bool of_problems = is_one_of(plan.x, {"problem", "model", "source", "query", "number"});
  std::vector<std::size_t> columns;
  for (std::size_t c = 0; c < table.heading.size(); ++c) {
    const std::string& name = table.heading[c];
    const bool is_place = is_one_of(name, {plan.x, plan.series, plan.facet});
    const bool follows =
        is_one_of(name, {"problem", "source", "best_list_searched"}) || name.starts_with("policy_");
    const bool of_run = is_one_of(name, {"policy", "steps"});
    if (is_place || follows || is_measured(name) || (of_problems && !of_run)) continue;
    columns.push_back(c);
  }
  return columns;
}

// The cells of one point, without what says where the point is. What was drawn with the number of a
// random world follows from that.
using Cells = std::multiset<std::vector<std::string>>;

Cells cells_of_point(const std::vector<std::size_t>& places, const DataTable& all,
                     const std::vector<std::size_t>& columns) {
  const auto number = std::find(all.heading.begin(), all.heading.end(), "number");
  const auto at = static_cast<std::size_t>(number - all.heading.begin());
  Cells cells;
  for (const std::size_t place : places) {
    const auto& row = all.rows[place];
    const bool is_drawn = at < row.size() && !is_missing(row[at]);
    std::vector<std::string> values;
    for (const std::size_t c : columns) {
      const bool with_number = is_drawn && (all.heading[c] == "L" || all.heading[c] == "K");
      values.push_back(with_number ? "" : text_in(row[c]));
    }
    cells.insert(std::move(values));
  }
  return cells;
}

}  // namespace

Likeness likeness_of(const PicturePlan& plan, const PicturePoints& points, const DataTable& all) {
  const auto columns = telling_columns(plan, all);
  std::set<double> along;
  std::set<double> elsewhere;
  for (const auto& [where, line] : points) {
    std::map<Cells, std::size_t> counts;
    std::map<double, Cells> cells;
    for (const auto& [x, places] : line) {
      along.insert(x);
      ++counts[cells[x] = cells_of_point(places, all, columns)];
    }
    const auto usual =
        std::max_element(counts.begin(), counts.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    for (const auto& [x, own] : cells) {
      if (own != usual->first) elsewhere.insert(x);
    }
  }
  return {{elsewhere.begin(), elsewhere.end()}, along.size()};
}

}  // namespace dcmrank
