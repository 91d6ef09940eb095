#include "dcmrank/command/table.h"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

namespace dcmrank::command {
namespace {

// Characters, not bytes: of UTF-8, what does not continue one.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::vector<std::size_t> column_widths(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width_of(row[c]));
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

std::string wrapped(const std::string& text, std::size_t indent) {
  constexpr std::size_t kColumns = 100;
  std::string out;
  std::size_t column = indent;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (column > indent && column + 1 + width_of(word) > kColumns) {
      out += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += width_of(word);
  }
  return out;
}

}  // namespace dcmrank::command
