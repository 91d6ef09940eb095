#include "dcmrank/sweep/columns.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "dcmrank/base/choices.h"
#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"

namespace dcmrank {

std::size_t column_of(const std::string& option, const std::string& name, const DataTable& table) {
  const auto at = std::find(table.heading.begin(), table.heading.end(), name);
  if (at == table.heading.end()) throw_unknown(option, name, table.heading);
  return static_cast<std::size_t>(at - table.heading.begin());
}

std::optional<double> number_in(const Cell& cell) {
  if (const auto* whole = std::get_if<std::uint64_t>(&cell)) return static_cast<double>(*whole);
  const auto* number = std::get_if<double>(&cell);
  if (number == nullptr || is_missing(cell)) return std::nullopt;
  return *number;
}

bool is_missing(const Cell& cell) {
  const auto* number = std::get_if<double>(&cell);
  return number != nullptr && std::isnan(*number);
}

std::string text_in(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  const auto number = number_in(cell);
  return number ? fmt::format("{}", *number) : "none";
}

ColumnValues::ColumnValues(const std::string& option, const std::string& name,
                           const DataTable& table) {
  if (name.empty()) return;
  at_ = column_of(option, name, table);
  values_.clear();
  for (const auto& row : table.rows) {
    const std::string value = of(row);
    if (std::find(values_.begin(), values_.end(), value) == values_.end()) values_.push_back(value);
  }
}

std::vector<std::size_t> places_where(const std::vector<std::string>& wanted,
                                      const DataTable& table) {
  std::map<std::size_t, std::vector<std::string>> values;  // by column
  for (const std::string& one : wanted) {
    const std::size_t equals = one.find('=');
    if (equals == std::string::npos) {
      throw InputError(fmt::format("--where is {}, not COLUMN=VALUE", quote(one)));
    }
    const std::string name = one.substr(0, equals);
    const std::size_t at = column_of("--where", name, table);
    std::string value = one.substr(equals + 1);
    const auto known = ColumnValues("--where", name, table).all();
    if (const auto number = parse_double(value)) {
      const std::string as_printed = fmt::format("{}", *number);
      if (std::find(known.begin(), known.end(), value) == known.end()) value = as_printed;
    }
    if (std::find(known.begin(), known.end(), value) == known.end()) {
      throw_unknown("--where " + name, one.substr(equals + 1), known);
    }
    values[at].push_back(value);
  }
  std::vector<std::size_t> chosen;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const auto& row = table.rows[r];
    const bool is_wanted = std::all_of(values.begin(), values.end(), [&](const auto& column) {
      const auto& any = column.second;
      return std::find(any.begin(), any.end(), text_in(row[column.first])) != any.end();
    });
    if (is_wanted) chosen.push_back(r);
  }
  if (chosen.empty()) {
    throw InputError(
        fmt::format("--where {}: no row has all of them", fmt::join(wanted, ", --where ")));
  }
  return chosen;
}

DataTable rows_where(const std::vector<std::string>& wanted, const DataTable& table) {
  DataTable chosen{table.heading, {}};
  for (const std::size_t r : places_where(wanted, table)) chosen.rows.push_back(table.rows[r]);
  return chosen;
}

}  // namespace dcmrank
