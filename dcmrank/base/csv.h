#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace dcmrank {

/// A value of a data table. It keeps its type until it is written: an id is text even where it
/// looks like a number. A double that is not a number is a missing value.
using Cell = std::variant<std::string, std::uint64_t, double>;

/// Rows of values under a heading.
struct DataTable {
  std::vector<std::string> heading;
  std::vector<std::vector<Cell>> rows;
};

/// A table as a CSV file (RFC 4180, lines end in \n): a field is quoted where it has to be, a
/// missing value is empty, a double reads back as the same double.
std::string to_csv(const DataTable& table);

}  // namespace dcmrank
