#include "dcmrank/table/delimited.h"

#include "dcmrank/page/fields.h"
#include "dcmrank/table/list_cell.h"

namespace dcmrank {
namespace {

// The first quote at or after `from` that is not one of two.
std::size_t lone_quote(std::string_view text, std::size_t from) {
  for (;;) {
    const std::size_t at = text.find('"', from);
    if (at == std::string_view::npos || at + 1 >= text.size() || text[at + 1] != '"') return at;
    from = at + 2;
  }
}

// Where the field that begins at `from` opens its quote, if it does.
std::size_t opening_quote(std::string_view row, std::size_t from, const Dialect& dialect) {
  while (from < row.size() && row[from] == ' ' && dialect.delimiter != ' ') ++from;
  return from < row.size() && row[from] == '"' ? from : std::string_view::npos;
}

std::string with_single_quotes(std::string_view text) {
  std::string single;
  for (std::size_t i = 0; i < text.size(); ++i) {
    single += text[i];
    if (text[i] == '"' && i + 1 < text.size() && text[i + 1] == '"') ++i;
  }
  return single;
}

}  // namespace

void split_row(std::string_view row, const Dialect& dialect, std::vector<std::string_view>& fields,
               std::deque<std::string>& kept) {
  if (!dialect.quotes || row.find('"') == std::string_view::npos) {
    split_fields(row, dialect.delimiter, fields);
    for (std::string_view& field : fields) field = trimmed(field);
    return;
  }
  fields.clear();
  for (std::size_t begin = 0; begin <= row.size();) {
    const std::size_t open = opening_quote(row, begin, dialect);
    const std::size_t close =
        open == std::string_view::npos ? std::string_view::npos : lone_quote(row, open + 1);
    const bool quoted = close != std::string_view::npos;
    const std::size_t end =
        std::min(row.find(dialect.delimiter, quoted ? close : begin), row.size());
    if (quoted && trimmed(row.substr(close + 1, end - close - 1)).empty()) {
      std::string_view text = row.substr(open + 1, close - open - 1);
      if (text.find('"') != std::string_view::npos)
        text = kept.emplace_back(with_single_quotes(text));
      fields.push_back(text);
    } else {
      fields.push_back(trimmed(row.substr(begin, end - begin)));
    }
    begin = end + 1;
  }
}

bool ends_within_quotes(std::string_view line, const Dialect& dialect, bool open) {
  if (!dialect.quotes || line.find('"') == std::string_view::npos) return open;
  std::size_t begin = 0;
  for (;;) {
    if (!open) {
      const std::size_t quote = opening_quote(line, begin, dialect);
      if (quote == std::string_view::npos) {
        const std::size_t end = line.find(dialect.delimiter, begin);
        if (end == std::string_view::npos) return false;
        begin = end + 1;
        continue;
      }
      begin = quote + 1;
    }
    const std::size_t close = lone_quote(line, begin);
    if (close == std::string_view::npos) return true;
    const std::size_t end = line.find(dialect.delimiter, close);
    if (end == std::string_view::npos) return false;
    begin = end + 1;
    open = false;
  }
}

std::optional<BrokenQuote> find_broken_quote(std::string_view row, const Dialect& dialect) {
  if (!dialect.quotes) return std::nullopt;
  std::size_t field = 0;
  for (std::size_t begin = 0; begin <= row.size(); ++field) {
    const std::size_t open = opening_quote(row, begin, dialect);
    std::size_t end = begin;
    if (open != std::string_view::npos) {
      const std::size_t close = lone_quote(row, open + 1);
      if (close == std::string_view::npos) return BrokenQuote{open, field};
      end = std::min(row.find(dialect.delimiter, close), row.size());
      if (!trimmed(row.substr(close + 1, end - close - 1)).empty()) return BrokenQuote{open, field};
    } else {
      end = std::min(row.find(dialect.delimiter, begin), row.size());
    }
    begin = end + 1;
  }
  return std::nullopt;
}

void write_field(std::string_view field, const Dialect& dialect, std::string& out) {
  const bool plain = !field.empty() && field == trimmed(field) &&
                     field.find_first_of("\"\r\n") == std::string_view::npos &&
                     field.find(dialect.delimiter) == std::string_view::npos;
  if (plain) {
    out += field;
    return;
  }
  out += '"';
  for (const char c : field) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

}  // namespace dcmrank
