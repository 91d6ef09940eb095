#include "dcmrank/base/csv.h"

#include <cmath>

#include <fmt/format.h>

namespace dcmrank {
namespace {

std::string field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c;
    if (c == '"') quoted += c;
  }
  return quoted + '"';
}

std::string field(std::uint64_t number) { return fmt::format("{}", number); }

std::string field(double number) { return std::isnan(number) ? "" : fmt::format("{}", number); }

std::string field(const Cell& cell) {
  return std::visit([](const auto& value) { return field(value); }, cell);
}

template <class Row>
void append_row(const Row& row, std::string& csv) {
  const char* separator = "";
  for (const auto& cell : row) {
    csv += separator;
    csv += field(cell);
    separator = ",";
  }
  csv += '\n';
}

}  // namespace

std::string to_csv(const DataTable& table) {
  std::string csv;
  append_row(table.heading, csv);
  for (const auto& row : table.rows) append_row(row, csv);
  return csv;
}

}  // namespace dcmrank
