#include "dcmrank/terminal/table.h"

#include <algorithm>
#include <iterator>
#include <regex>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "dcmrank/base/latex.h"

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

namespace {

// How much of a cell is a number with a sign, an error or a unit: "-7.17 ± 3.17", "1.00x".
std::size_t end_of_number(const std::string& cell) {
  static const std::regex kNumber(
      R"(^[+-]?[0-9][0-9.]*(e[+-]?[0-9]+)?( ± [0-9.]+)?x?(?![A-Za-z0-9_:=-]))");
  std::smatch found;
  return std::regex_search(cell, found, kNumber) ? static_cast<std::size_t>(found.length()) : 0;
}

std::string latex_cell(const std::string& cell) {
  if (cell == "-") return "--";
  const std::size_t end = end_of_number(cell);
  std::string number = cell.substr(0, end);
  if (number.find_first_of("+-x") == std::string::npos) return latex(cell);
  if (number.back() == 'x') number.replace(number.size() - 1, 1, "\\times");
  constexpr std::string_view kPlusMinus = "±";
  if (const auto at = number.find(kPlusMinus); at != std::string::npos) {
    number.replace(at, kPlusMinus.size(), "\\pm");
  }
  return "$" + number + "$" + latex(cell.substr(end));
}

// What a note says of cells without a number is "-", which the table sets as a dash.
std::string note_in_latex(std::string note) {
  constexpr std::string_view kNone = "\"-\"";
  for (std::size_t at = 0; (at = note.find(kNone, at)) != std::string::npos;) {
    note.replace(at, kNone.size(), "\"--\"");
  }
  return latex(note);
}

// Columns of numbers are set to the right, of words to the left.
std::string latex_columns(const std::vector<std::vector<std::string>>& rows) {
  std::string columns(rows.front().size(), 'r');
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const bool has_words = std::any_of(rows.begin() + 1, rows.end(), [&](const auto& row) {
      return row[c] != "-" && end_of_number(row[c]) == 0;
    });
    if (c == 0 || has_words) columns[c] = 'l';
  }
  return columns;
}

std::string latex_row(const std::vector<std::string>& row) {
  std::vector<std::string> cells(row.size());
  std::ranges::transform(row, cells.begin(), latex_cell);
  return fmt::format("{} \\\\\n", fmt::join(cells, " & "));
}

}  // namespace

std::string latex_table(const std::vector<std::vector<std::string>>& rows,
                        const std::string& note) {
  constexpr std::size_t kMostOnAPage = 45;
  const bool is_long = rows.size() > kMostOnAPage;
  std::string text = is_long ? "% Needs \\usepackage{booktabs, longtable}; it goes over pages by "
                               "itself, outside of a table environment.\n"
                             : "% Needs \\usepackage{booktabs}.\n";
  text +=
      fmt::format("\\begin{{{}}}{{{}}}\n\\toprule\n{}\\midrule\n{}",
                  is_long ? "longtable" : "tabular", latex_columns(rows), latex_row(rows.front()),
                  is_long ? "\\endhead\n\\bottomrule\n\\endfoot\n" : "");
  for (std::size_t r = 1; r < rows.size(); ++r) text += latex_row(rows[r]);
  text += is_long ? "\\end{longtable}\n" : "\\bottomrule\n\\end{tabular}\n";
  if (note.empty()) return text;
  return text + fmt::format("\\par\\smallskip{{\\footnotesize {}\\par}}\n", note_in_latex(note));
}

}  // namespace dcmrank::command
