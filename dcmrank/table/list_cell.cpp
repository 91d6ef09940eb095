#include "dcmrank/table/list_cell.h"

#include <algorithm>
#include <array>
#include <string>

#include <nlohmann/json.hpp>

#include "dcmrank/base/text.h"

namespace dcmrank {
namespace {

constexpr std::string_view kSpaces = " \t\r\n";

bool is_quote(char c) { return c == '"' || c == '\''; }

// Where the quoted text that begins at `from` ends: at its closing quote, or the text's end.
std::size_t closing_quote(std::string_view text, std::size_t from) {
  for (std::size_t i = from + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == text[from]) {
      return i;
    }
  }
  return text.size();
}

// What a quoted text with backslashes says.
std::string unescaped(std::string_view quoted) {
  if (quoted.front() == '"') {
    const auto json = nlohmann::json::parse(quoted, nullptr, false);
    if (json.is_string()) return json.get<std::string>();
  }
  std::string text;
  for (std::size_t i = 1; i + 1 < quoted.size(); ++i) {
    if (quoted[i] == '\\' && i + 2 < quoted.size()) ++i;
    text += quoted[i];
  }
  return text;
}

std::string_view unquoted(std::string_view entry, std::deque<std::string>& kept) {
  entry = trimmed(entry);
  if (entry.size() < 2 || !is_quote(entry.front()) || entry.back() != entry.front()) return entry;
  if (entry.find('\\') == std::string_view::npos) return entry.substr(1, entry.size() - 2);
  kept.push_back(unescaped(entry));
  return kept.back();
}

bool is_space(char c) { return kSpaces.find(c) != std::string_view::npos; }

// What separates the entries: commas; without one, as numpy prints, spaces between numbers, words
// like False, and quoted texts.
bool spaces_separate(std::string_view text) {
  bool plain = true;  // nothing but words that flags and numbers are
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == ',') return false;
    if (i < text.size() && is_quote(text[i])) {
      i = closing_quote(text, i);
      begin = i + 1;
    } else if (i == text.size() || is_space(text[i])) {
      const std::string_view word = text.substr(std::min(begin, text.size()), i - begin);
      plain = plain && (begin >= i || flag_of(word) >= 0 || parse_double(word));
      begin = i + 1;
    }
  }
  return plain;
}

void split_bracketed(std::string_view text, std::vector<std::string_view>& entries,
                     std::deque<std::string>& kept) {
  text = trimmed(text.substr(1, text.size() - 2));
  if (text.empty()) return;
  const bool spaces = spaces_separate(text);
  const auto separates = [&](char c) { return spaces ? is_space(c) : c == ','; };
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && is_quote(text[i]) && trimmed(text.substr(begin, i - begin)).empty()) {
      i = closing_quote(text, i);
    }
    if (i < text.size() && !separates(text[i])) continue;
    const std::string_view entry = text.substr(begin, std::min(i, text.size()) - begin);
    if (!spaces || !trimmed(entry).empty()) entries.push_back(unquoted(entry, kept));
    begin = i + 1;
  }
}

}  // namespace

std::string_view without_outer_spaces(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kSpaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

char sniff_separator(std::span<const std::string_view> cells) {
  char best = ',';
  std::ptrdiff_t most = 0;
  for (const char candidate : {'|', ';', ',', ' '}) {
    const auto having = std::count_if(cells.begin(), cells.end(), [&](std::string_view cell) {
      return trimmed(cell).find(candidate) != std::string_view::npos;
    });
    if (having > most) {
      most = having;
      best = candidate;
    }
  }
  return best;
}

bool is_bracketed(std::string_view cell) {
  cell = trimmed(cell);
  if (cell.size() < 2) return false;
  const std::size_t kind = std::string_view("[({").find(cell.front());
  return kind != std::string_view::npos && cell.back() == "])}"[kind];
}

void split_list(std::string_view cell, char separator, std::vector<std::string_view>& entries,
                std::deque<std::string>& kept) {
  entries.clear();
  cell = trimmed(cell);
  if (cell.empty()) return;
  if (is_bracketed(cell)) return split_bracketed(cell, entries, kept);
  for (std::size_t begin = 0; begin <= cell.size();) {
    const std::size_t end = std::min(cell.find(separator, begin), cell.size());
    const std::string_view entry = trimmed(cell.substr(begin, end - begin));
    if (separator != ' ' || !entry.empty()) entries.push_back(entry);
    begin = end + 1;
  }
}

int flag_of(std::string_view word) {
  if (word == "0") return 0;
  if (word == "1") return 1;
  std::string small(word);
  std::transform(small.begin(), small.end(), small.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  if (small.empty() || small == "false" || small == "no" || small == "f" || small == "n" ||
      small == "null" || small == "none" || small == "nan" || small == "na") {
    return 0;
  }
  if (small == "true" || small == "yes" || small == "t" || small == "y") return 1;
  const auto number = parse_double(small);
  if (!number || !(*number >= 0)) return -1;
  return *number > 0 ? 1 : 0;
}

}  // namespace dcmrank
