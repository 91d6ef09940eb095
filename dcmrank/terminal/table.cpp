#include "dcmrank/terminal/table.h"

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

std::string latex(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '\\':
        result += "\\textbackslash{}";
        break;
      case '~':
        result += "\\textasciitilde{}";
        break;
      case '^':
        result += "\\textasciicircum{}";
        break;
      case '#':
      case '$':
      case '%':
      case '&':
      case '_':
      case '{':
      case '}':
        result += '\\';
        [[fallthrough]];
      default:
        result += c;
    }
  }
  constexpr std::string_view kPlusMinus = "±";
  for (auto at = result.find(kPlusMinus); at != std::string::npos; at = result.find(kPlusMinus)) {
    result.replace(at, kPlusMinus.size(), "$\\pm$");
  }
  return result;
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

std::string latex_table(const std::vector<std::vector<std::string>>& rows) {
  std::string text = fmt::format("\\begin{{tabular}}{{l{}}}\n\\toprule\n",
                                 std::string(rows.front().size() - 1, 'r'));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::vector<std::string> cells;
    for (const std::string& cell : rows[r]) cells.push_back(latex(cell));
    text += fmt::format("{} \\\\\n", fmt::join(cells, " & "));
    if (r == 0) text += "\\midrule\n";
  }
  return text + "\\bottomrule\n\\end{tabular}\n";
}

}  // namespace dcmrank::command
