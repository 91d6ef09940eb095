#include "dcmrank/sweep/means.h"

#include <algorithm>
#include <limits>
#include <set>

#include "dcmrank/sweep/columns.h"

namespace dcmrank {
namespace {

// Worlds of one kind that differ by their number alone, and by what was drawn with it.
bool are_drawn_worlds(const DataTable& table, const std::vector<std::size_t>& places) {
  const auto& heading = table.heading;
  const auto number = std::find(heading.begin(), heading.end(), "number") - heading.begin();
  if (static_cast<std::size_t>(number) == heading.size()) return false;
  const auto is_drawn = [](const std::string& name) {
    const auto drawn = {"problem", "number", "L", "K", "best_list_searched"};
    return std::find(drawn.begin(), drawn.end(), name) != drawn.end();
  };
  const auto& first = table.rows[places.front()];
  std::set<std::string> numbers;
  for (const std::size_t place : places) {
    const auto& row = table.rows[place];
    const Cell& own = row[static_cast<std::size_t>(number)];
    if (is_missing(own) || !numbers.insert(text_in(own)).second) return false;
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (is_measured(heading[c]) || is_drawn(heading[c])) continue;
      if (text_in(row[c]) != text_in(first[c])) return false;
    }
  }
  return true;
}

// By run, the mean over the cells: runs of all cells have the same users, or those made from the
// same draws, so that the errors of cells do not just add up.
std::vector<double> means_by_run(std::span<const SweepCell> cells,
                                 const std::vector<std::size_t>& places,
                                 const std::string& column) {
  std::vector<double> means;
  if (cells.empty()) return means;
  for (const std::size_t place : places) {
    const auto values = run_values(cells[place], column);
    if (means.empty()) means.resize(values.size(), 0);
    for (std::size_t r = 0; r < means.size(); ++r) {
      means[r] += values[r] / static_cast<double>(places.size());
    }
  }
  return means;
}

}  // namespace

CellMean mean_of_cells(const DataTable& table, std::span<const SweepCell> cells,
                       const std::vector<std::size_t>& places, const std::string& column) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const auto& heading = table.heading;
  const auto at = [&](const std::string& name, std::size_t place) {
    const auto found = std::find(heading.begin(), heading.end(), name) - heading.begin();
    if (static_cast<std::size_t>(found) == heading.size()) return kNone;
    return number_in(table.rows[place][static_cast<std::size_t>(found)]).value_or(kNone);
  };
  if (places.size() == 1) {
    const Summary own{at(column, places.front()), at(column + "_stderr", places.front())};
    return {own, own.has_error() ? ErrorOf::kCell : ErrorOf::kNothing};
  }
  std::vector<double> values;
  values.reserve(places.size());
  for (const std::size_t place : places) values.push_back(at(column, place));
  const Summary over_cells = summarise(values);
  if (are_drawn_worlds(table, places)) return {over_cells, ErrorOf::kWorlds};
  const auto by_run = means_by_run(cells, places, column);
  if (by_run.size() < 2) return {{over_cells.mean, kNone}, ErrorOf::kNothing};
  return {{over_cells.mean, summarise(by_run).stderr_}, ErrorOf::kRuns};
}

}  // namespace dcmrank
