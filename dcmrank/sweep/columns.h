#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dcmrank/base/csv.h"

namespace dcmrank {

/// Columns of a table by their names, as options give them. What is wrong throws InputError that
/// begins with the option.

std::size_t column_of(const std::string& option, const std::string& name, const DataTable& table);

/// Nothing for a text or a missing value.
std::optional<double> number_in(const Cell& cell);
bool is_missing(const Cell& cell);
/// "none" for a missing value.
std::string text_in(const Cell& cell);

/// The values of a column in the order in which they first occur; one empty text for no column.
class ColumnValues {
 public:
  ColumnValues(const std::string& option, const std::string& name, const DataTable& table);
  std::string of(const std::vector<Cell>& row) const { return at_ ? text_in(row[*at_]) : ""; }
  const std::vector<std::string>& all() const { return values_; }

 private:
  std::optional<std::size_t> at_{};
  std::vector<std::string> values_{""};
};

/// The rows that have a value that was asked for in every column that was asked about:
/// "COLUMN=VALUE", where numbers are compared as numbers; a column asked about twice may have
/// either value. `places_where` gives where they are in the table.
std::vector<std::size_t> places_where(const std::vector<std::string>& wanted,
                                      const DataTable& table);
DataTable rows_where(const std::vector<std::string>& wanted, const DataTable& table);

}  // namespace dcmrank
