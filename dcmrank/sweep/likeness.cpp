#include "dcmrank/sweep/likeness.h"

#include <algorithm>
#include <set>

#include "dcmrank/sweep/columns.h"
#include "dcmrank/sweep/sweep.h"

namespace dcmrank {
namespace {

// What makes a cell another one than a cell elsewhere in the picture.
std::vector<std::size_t> telling_columns(const PicturePlan& plan, const DataTable& table) {
  const auto follows = [&](const std::string& name) {
    const auto from_others = {"problem", "source", "best_list_searched", "policy_name"};
    const bool of_problem = plan.x == "model" || plan.series == "model" || plan.facet == "model";
    const bool from_model = of_problem && (name == "reward_kind" || name == "query");
    return from_model || name.starts_with("policy_") ||
           std::find(from_others.begin(), from_others.end(), name) != from_others.end();
  };
  std::vector<std::size_t> columns;
  for (std::size_t c = 0; c < table.heading.size(); ++c) {
    const std::string& name = table.heading[c];
    const bool is_place = name == plan.x || name == plan.series || name == plan.facet;
    if (!is_place && !is_measured(name) && !follows(name)) columns.push_back(c);
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
  std::map<Cells, std::size_t> counts;
  std::map<double, std::set<Cells>> along;
  for (const auto& [where, line] : points) {
    for (const auto& [x, places] : line) {
      const Cells cells = cells_of_point(places, all, columns);
      along[x].insert(cells);
      ++counts[cells];
    }
  }
  const auto usual =
      std::max_element(counts.begin(), counts.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  Likeness likeness{{}, along.size()};
  for (const auto& [x, cells] : along) {
    if (cells != std::set<Cells>{usual->first}) likeness.elsewhere.push_back(x);
  }
  return likeness;
}

}  // namespace dcmrank
