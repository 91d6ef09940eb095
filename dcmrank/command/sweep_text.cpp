#include "dcmrank/command/sweep_text.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/sim/net_regret.h"
#include "dcmrank/sim/result_rows.h"
#include "dcmrank/sweep/columns.h"
#include "dcmrank/sweep/means.h"

namespace dcmrank::command {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string signed_text(const Summary& value) {
  return (value.mean > 0 ? "+" : "") + text_by_error(value);
}

// What regret counts in cells of the plan.
std::set<std::string> reward_kinds(const SweepPlan& plan, const std::vector<SweepCell>& cells,
                                   const std::vector<std::size_t>& places) {
  std::set<std::string> kinds;
  for (const std::size_t place : places) {
    kinds.insert(plan.problems[cells[place].problem].problem.reward());
  }
  return kinds;
}

Rows rows_of_cells(const SweepPlan& plan, const std::vector<SweepCell>& cells,
                   const std::vector<std::size_t>& places, const PolicyNames& names) {
  const bool several = reward_kinds(plan, cells, places).size() > 1;
  Rows rows{{"problem", "policy", "steps", "regret", "difference", "linear runs"}};
  if (several) rows.front().emplace_back("reward");
  for (const std::size_t place : places) {
    const SweepCell& cell = cells[place];
    const bool compared = cell.policy != plan.policies.front();
    const SweepProblem& problem = plan.problems[cell.problem];
    rows.push_back({problem.name, called(names, cell.policy), fmt::format("{}", cell.steps),
                    text_by_error(cell.result.regret),
                    compared ? signed_text(summarise(cell.difference_per_run)) : "-",
                    cell.floor ? fmt::format("{}", linear_runs(cell.result, *cell.floor)) : "-"});
    if (several) rows.back().push_back(problem.problem.reward());
  }
  return rows;
}

// The columns that tell rows apart: those asked for, and those over which no mean says anything.
std::vector<std::string> columns_of(const SweepPlan& plan, const SweepTable& shown,
                                    const std::set<std::string>& rewards) {
  std::vector<std::string> columns = shown.by;
  const auto add = [&](const std::string& name, bool needed) {
    const bool known = std::find(columns.begin(), columns.end(), name) != columns.end();
    if (needed && !known) columns.push_back(name);
  };
  add("reward_kind", rewards.size() > 1);
  add("steps", plan.steps.size() > 1);
  add("policy", true);
  return columns;
}

// Of numbers the smaller comes first, of names the one that comes first in the grid; what is
// missing last.
void sort_rows(std::vector<std::vector<std::string>>& rows) {
  const std::vector<std::vector<std::string>> given = rows;
  const auto place_of = [&](std::size_t c, const std::string& value) {
    return std::find_if(given.begin(), given.end(),
                        [&](const auto& row) { return row[c] == value; }) -
           given.begin();
  };
  const auto is_less = [&](const auto& a, const auto& b) {
    for (std::size_t c = 0; c < a.size(); ++c) {
      if (a[c] == b[c]) continue;
      const auto x = parse_double(a[c]);
      const auto y = parse_double(b[c]);
      if (x && y) return *x < *y;
      if (x || y) return x.has_value();
      return place_of(c, a[c]) < place_of(c, b[c]);
    }
    return false;
  };
  std::stable_sort(rows.begin(), rows.end(), is_less);
}

Rows rows_by(const SweepPlan& plan, const std::vector<SweepCell>& cells, const DataTable& table,
             const std::vector<std::size_t>& places, const SweepTable& shown) {
  const auto columns = columns_of(plan, shown, reward_kinds(plan, cells, places));
  std::vector<std::vector<std::string>> order;  // as they come
  std::map<std::vector<std::string>, std::vector<std::size_t>> groups;
  for (const std::size_t place : places) {
    std::vector<std::string> values;
    values.reserve(columns.size());
    for (const std::string& column : columns) {
      values.push_back(text_in(table.rows[place][column_of("--table-by", column, table)]));
    }
    auto& group = groups[values];
    if (group.empty()) order.push_back(values);
    group.push_back(place);
  }
  sort_rows(order);
  Rows rows{columns};
  for (const char* name : {"cells", "regret", "difference", "linear runs"}) {
    rows.front().emplace_back(name);
  }
  for (const auto& values : order) {
    const auto& group = groups.at(values);
    const bool compared = cells[group.front()].policy != plan.policies.front();
    std::size_t linear = 0;
    std::size_t judged = 0;  // cells
    for (const std::size_t place : group) {
      if (!cells[place].floor) continue;
      linear += linear_runs(cells[place].result, *cells[place].floor);
      ++judged;
    }
    std::vector<std::string> row;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      row.push_back(columns[c] == "policy" ? called(shown.names, values[c]) : values[c]);
    }
    row.push_back(fmt::format("{}", group.size()));
    row.push_back(text_by_error(mean_of_cells(table, cells, group, "regret").value));
    row.push_back(compared ? signed_text(mean_of_cells(table, cells, group, "difference").value)
                           : "-");
    row.push_back(judged > 0 ? fmt::format("{} of {}", linear, judged * plan.runs) : "-");
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

std::vector<std::string> parse_table_by(const std::string& text, const DataTable& table) {
  std::vector<std::string> columns;
  for (const auto column : split(text, ',')) {
    const std::string name(column);
    column_of("--table-by", name, table);
    if (is_measured(name)) {
      throw InputError(fmt::format("--table-by {}: it is a result, not a parameter", name));
    }
    if (std::find(columns.begin(), columns.end(), name) != columns.end()) {
      throw InputError(fmt::format("--table-by has {} twice", quote(name)));
    }
    columns.push_back(name);
  }
  return columns;
}

Rows sweep_text(const SweepPlan& plan, const std::vector<SweepCell>& cells,
                const SweepTable& shown) {
  const DataTable table = sweep_rows(plan, cells);
  const auto places = places_where(shown.where, table);
  return shown.by.empty() ? rows_of_cells(plan, cells, places, shown.names)
                          : rows_by(plan, cells, table, places, shown);
}

std::string sweep_legend(const SweepPlan& plan, const std::vector<SweepCell>& cells,
                         const SweepTable& shown) {
  const auto places = places_where(shown.where, sweep_rows(plan, cells));
  std::string legend = fmt::format(
      "Regret and its difference from the first policy's, taken run by run on the same users, with "
      "standard errors. {}",
      linear_rule());
  if (!shown.by.empty()) {
    legend +=
        " Means over the cells of a row; the error is that over worlds where these were drawn at "
        "random and nothing else differs, else that over the runs, of these very cells.";
  }
  const auto rewards = reward_kinds(plan, cells, places);
  if (rewards.size() == 1) {
    const std::string counted = reward_text(*rewards.begin());
    if (!counted.empty()) legend += " " + counted;
  } else {
    legend +=
        " What regret counts (clicks, or satisfaction: satisfied users) is not the same in "
        "all rows.";
  }
  const bool searched = std::any_of(places.begin(), places.end(), [&](std::size_t place) {
    return plan.problems[cells[place].problem].problem.facts().searched;
  });
  if (searched) {
    legend +=
        " Of some problems the best list was found by exchanges of items; there may be a better "
        "one.";
  }
  const bool silent = std::any_of(places.begin(), places.end(),
                                  [&](std::size_t place) { return !cells[place].floor; });
  if (silent) {
    legend +=
        " Of some users it is not known what the best list sorted by attraction loses: no net "
        "regret, and no linear run, is told of them.";
  }
  return legend;
}

}  // namespace dcmrank::command
