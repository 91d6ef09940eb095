#include "dcmrank/command/table.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace dcmrank::command {
namespace {

std::vector<std::size_t> column_widths(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  return widths;
}

}  // namespace

std::string table(const std::vector<std::vector<std::string>>& rows) {
  const auto widths = column_widths(rows);
  std::string out;
  auto end = std::back_inserter(out);
  for (const auto& row : rows) {
    fmt::format_to(end, "{:<{}}", row[0], widths[0]);
    for (std::size_t c = 1; c < row.size(); ++c) {
      fmt::format_to(end, "  {:>{}}", row[c], widths[c]);
    }
    out += '\n';
  }
  return out;
}

}  // namespace dcmrank::command
