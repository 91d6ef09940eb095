#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dcmrank {

/// How the fields of a row are told apart (RFC 4180).
struct Dialect {
  char delimiter = ',';
  /// Whether quotes may stand around fields. Where they may not, they are part of the text: in
  /// tab-separated logs of searches they were typed.
  bool quotes = true;
};

/// Splits a row. Spaces around fields do not count. Texts that had to be changed are kept in
/// `kept`.
void split_row(std::string_view row, const Dialect& dialect, std::vector<std::string_view>& fields,
               std::deque<std::string>& kept);

/// Whether a quoted field is still open at the end of a line; `open`: it was at its start.
bool ends_within_quotes(std::string_view line, const Dialect& dialect, bool open);

/// A quote at which a field begins, and which does not end it.
struct BrokenQuote {
  std::size_t at;
  std::size_t field;  // from 0
};

/// The first of a row, if any.
std::optional<BrokenQuote> find_broken_quote(std::string_view row, const Dialect& dialect);

/// A field as split_row reads it back, appended; quoted where it must be.
void write_field(std::string_view field, const Dialect& dialect, std::string& out);

}  // namespace dcmrank
