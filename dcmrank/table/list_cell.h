#pragma once

#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dcmrank {

/// Without the spaces around it, which are looked for where there may be some.
std::string_view without_outer_spaces(std::string_view text);
inline std::string_view trimmed(std::string_view text) {
  const auto may_be_space = [](char c) { return static_cast<unsigned char>(c) <= ' '; };
  if (!text.empty() && !may_be_space(text.front()) && !may_be_space(text.back())) return text;
  return without_outer_spaces(text);
}

/// The separator of lists in cells: the one of | ; , and space that most of the cells have.
char sniff_separator(std::span<const std::string_view> cells);

/// Whether a cell is a list as programs print it: [..], (..) or {..}.
bool is_bracketed(std::string_view cell);

/// Splits a list in a cell of a table, as JSON, Python, numpy or a database would have written it
/// if it is bracketed, else at `separator`; spaces around entries do not count. Texts that had to
/// be changed are kept in `kept`.
void split_list(std::string_view cell, char separator, std::vector<std::string_view>& entries,
                std::deque<std::string>& kept);

/// 1 for a click, 0 for none, -1 for what is neither: 0, 1, true, false, yes, no, any number.
int flag_of(std::string_view word);

}  // namespace dcmrank
