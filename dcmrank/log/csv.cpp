// Tables of text: a header, then one row per page, or one row per item.
#include "dcmrank/log/csv.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/base/utf8.h"
#include "dcmrank/log/rows.h"
#include "dcmrank/log/table_parser.h"
#include "dcmrank/table/delimited.h"
#include "dcmrank/table/list_cell.h"
#include "dcmrank/table/table_pages.h"

namespace dcmrank {
namespace {

constexpr std::array<std::pair<char, const char*>, 4> kDelimiters{
    {{',', "comma"}, {'\t', "tab"}, {';', "semicolon"}, {'|', "bar"}}};
constexpr std::size_t kMostSampleRows = 1000;

/// Everything that a row of the file is read by.
struct CsvShape {
  Dialect dialect;
  std::string header;  // empty where columns have numbers
  std::vector<TableColumn> table;
  ColumnPlaces places;
  char items_separator = ',';
  char clicks_separator = ',';
  TableLayout layout;
};

bool is_header_again(std::string_view line, std::string_view header) {
  return !header.empty() && line.ends_with(header) &&
         (line.size() == header.size() ||
          line.substr(0, line.size() - header.size()) == kByteOrderMark);
}

// Reads rows of one file; views are valid until the next row.
class CsvRows {
 public:
  explicit CsvRows(CsvShape shape) : shape_(std::move(shape)) {}

  std::optional<Skip> read(std::string_view text, TableRow& row) {
    if (!kept_.empty()) kept_.clear();
    split_row(text, shape_.dialect, fields_, kept_);
    if (fields_.size() != shape_.table.size()) {
      const bool few = fields_.size() < shape_.table.size();
      read_lost(text, row);
      return few ? Skip::kTooFewFields : Skip::kTooManyFields;
    }
    read_page_of(row);
    read_list(Role::kItems, shape_.items_separator, row.items);
    read_list(Role::kClicks, shape_.clicks_separator, row.clicks);
    if (shape_.places[Role::kItems].size() > 1) drop_empty(row);
    return std::nullopt;
  }

  // What a line that is no row says of its page: its fields from the left, as far as they are
  // there and no quote is broken.
  void read_lost(std::string_view text, TableRow& row) {
    row.clear();
    if (!split_without_broken_quote(text)) {
      split_row(text, shape_.dialect, fields_, kept_);
      const auto broken = find_broken_quote(text, shape_.dialect);
      if (broken) fields_.resize(std::min(fields_.size(), broken->field));
    }
    read_page_of(row);
    // Where the position is none, it was one of the fields before that is missing.
    const bool few = fields_.size() < shape_.table.size();
    if (few && !row.position.empty() && !position_of(row.position)) row.clear();
  }

  // The header of another table, which was appended to this one.
  bool is_header(std::string_view line) const { return is_header_again(line, shape_.header); }

 private:
  std::string_view field(Role role) const {
    const auto& places = shape_.places[role];
    return !places.empty() && places.front() < fields_.size() ? fields_[places.front()]
                                                              : std::string_view();
  }

  void read_page_of(TableRow& row) const {
    row.query = field(Role::kQuery);
    row.position = field(Role::kPosition);
    row.session = field(Role::kSession);
    row.page = field(Role::kPage);
  }

  // Whether a broken quote was a slip: without it, the line is a row.
  bool split_without_broken_quote(std::string_view text) {
    const auto broken = find_broken_quote(text, shape_.dialect);
    if (!broken) return false;
    std::string& without = kept_.emplace_back(text);
    without.erase(broken->at, 1);
    if (find_broken_quote(without, shape_.dialect)) return false;
    split_row(without, shape_.dialect, fields_, kept_);
    return fields_.size() == shape_.table.size();
  }

  void read_list(Role role, char separator, std::vector<std::string_view>& entries) {
    const auto& columns = shape_.places[role];
    if (columns.size() > 1 || shape_.layout.row_an_item) {
      entries.clear();
      for (const std::size_t c : columns) entries.push_back(fields_[c]);
    } else {
      split_list(fields_[columns.front()], separator, entries, kept_);
    }
  }

  // Lists that are shorter than there are columns.
  static void drop_empty(TableRow& row) {
    while (!row.items.empty() && row.items.back().empty()) {
      if (row.clicks.size() == row.items.size()) row.clicks.pop_back();
      row.items.pop_back();
    }
  }

  CsvShape shape_;
  std::vector<std::string_view> fields_;
  std::deque<std::string> kept_;
};

std::vector<TableColumn> columns_of(std::string_view header, const Dialect& dialect, bool numbers) {
  std::vector<std::string_view> names;
  std::deque<std::string> kept;
  split_row(header, dialect, names, kept);
  std::vector<TableColumn> table;
  for (std::size_t c = 0; c < names.size(); ++c) {
    table.push_back({numbers ? fmt::format("{}", c + 1) : std::string(names[c]), false});
  }
  return table;
}

// A quoted text with quotes in it, each of them two: "19"" rack". Nobody types that.
bool is_quoted_with_doubled(std::string_view field) {
  if (field.starts_with("\"\"\"")) return true;
  if (field.size() < 2 || field.front() != '"' || field.back() != '"') return false;
  const std::string_view text = field.substr(1, field.size() - 2);
  std::size_t at = text.find('"');
  if (at == std::string_view::npos) return false;
  for (; at != std::string_view::npos; at = text.find('"', at + 2)) {
    if (at + 1 == text.size() || text[at + 1] != '"') return false;
  }
  return true;
}

// Whether quotes around fields of a tab-separated table are marks of the format, not of the text.
bool has_doubled_quotes(LogHead head, char delimiter) {
  if (!head.empty() && head[0].starts_with('"')) return true;
  return std::any_of(head.begin(), head.end(), [&](std::string_view line) {
    if (line.find("\"\"") == std::string_view::npos) return false;
    const auto fields = split(line, delimiter);
    return std::any_of(fields.begin(), fields.end(), [](std::string_view field) {
      return is_quoted_with_doubled(trimmed(field));
    });
  });
}

Dialect dialect_of(LogHead head, char delimiter) {
  return {delimiter, delimiter != '\t' || has_doubled_quotes(head, delimiter)};
}

// The delimiter by which the header has the columns, or at least the most of them.
std::optional<Dialect> find_dialect(LogHead head, const Columns& named, bool needs_columns) {
  std::optional<Dialect> best;
  std::size_t most = 1;
  if (head.empty()) return best;
  for (const auto& [delimiter, name] : kDelimiters) {
    const Dialect dialect = dialect_of(head, delimiter);
    const auto table = columns_of(head[0], dialect, named.by_number());
    if (table.size() > 1 && has_columns(table, named)) return dialect;
    if (!needs_columns && table.size() > most) {
      best = dialect;
      most = table.size();
    }
  }
  return best;
}

// The cells of a column, for the first rows.
std::vector<std::string_view> sample_cells(const CsvShape& shape, LogHead rows, Role role,
                                           std::deque<std::string>& kept) {
  std::vector<std::string_view> cells;
  std::vector<std::string_view> fields;
  for (const std::string_view row : rows) {
    split_row(row, shape.dialect, fields, kept);
    if (fields.size() == shape.table.size()) cells.push_back(fields[shape.places[role].front()]);
  }
  return cells;
}

// Whether lists are in brackets, too.
bool sniff_lists(CsvShape& shape, LogHead rows) {
  std::deque<std::string> kept;
  const auto items = sample_cells(shape, rows, Role::kItems, kept);
  shape.items_separator = sniff_separator(items);
  const auto clicks = sample_cells(shape, rows, Role::kClicks, kept);
  const bool same = std::any_of(clicks.begin(), clicks.end(), [&](std::string_view cell) {
    return cell.find(shape.items_separator) != std::string_view::npos;
  });
  const char own = sniff_separator(clicks);
  const bool has_own = std::any_of(clicks.begin(), clicks.end(), [&](std::string_view cell) {
    return cell.find(own) != std::string_view::npos;
  });
  shape.clicks_separator = same || !has_own ? shape.items_separator : own;
  return std::any_of(items.begin(), items.end(), is_bracketed);
}

// Rows and what they refer to.
struct CsvSample {
  std::vector<std::unique_ptr<CsvRows>> readers;
  std::vector<TableRow> rows;
};

CsvSample sample_rows(const CsvShape& shape, LogHead lines) {
  CsvSample sample;
  for (const std::string_view line : lines) {
    if (is_header_again(line, shape.header)) break;
    auto reader = std::make_unique<CsvRows>(shape);
    TableRow row;
    const bool whole = !ends_within_quotes(line, shape.dialect, false);
    if (!whole || trimmed(line).empty() || reader->read(line, row)) continue;
    sample.readers.push_back(std::move(reader));
    sample.rows.push_back(std::move(row));
    if (sample.rows.size() == kMostSampleRows) break;
  }
  return sample;
}

std::string delimiter_name(char delimiter) {
  for (const auto& [known, name] : kDelimiters) {
    if (known == delimiter) return name;
  }
  return {};
}

bool recognises_csv(LogHead head) { return find_dialect(head, {}, true).has_value(); }

FileFormat csv_of_table(LogHead head, const Columns& named) {
  std::size_t blank = 0;
  while (blank < head.size() && trimmed(head[blank]).empty()) ++blank;
  head = head.subspan(blank);
  const auto dialect = find_dialect(head, named, false);
  if (!dialect) throw InputError("its first line is not a header with two or more columns");
  CsvShape shape;
  shape.dialect = *dialect;
  shape.table = columns_of(head[0], *dialect, named.by_number());
  shape.places = find_columns(shape.table, named);
  const std::size_t header = named.by_number() ? 0 : 1;
  if (header > 0) shape.header = head[0];
  const LogHead rows = head.subspan(header);
  const bool brackets = sniff_lists(shape, rows);
  // Cells are no lists where the column is named for one item, unless they look so and no column
  // says where in a list an item was.
  const bool lists = brackets && !shape.places.has(Role::kPosition);
  shape.layout.row_an_item = named.row_an_item() || (shape.places.row_an_item && !lists);
  shape.layout = sniff_layout(shape.table, shape.places, named, sample_rows(shape, rows).rows);
  FileFormat file{kCsv, {}, blank + header};
  file.doubt = shape.layout.doubt;
  file.description =
      fmt::format("{}{}, {}", delimiter_name(dialect->delimiter), header == 0 ? ", no header" : "",
                  describe(shape.layout, shape.places, shape.table));
  file.format.parser = [shape](ImpressionSink& sink, LogReport& report) {
    return std::make_unique<TableParser<CsvRows>>(sink, report, shape);
  };
  if (dialect->quotes) {
    file.goes_on = [d = *dialect](std::string_view line, bool going_on) {
      return ends_within_quotes(line, d, going_on);
    };
    file.is_row = [d = *dialect](std::string_view row) { return !find_broken_quote(row, d); };
  }
  if (shape.layout.row_an_item) {
    file.key = [rows_of = std::make_shared<CsvRows>(shape),
                layout = shape.layout](std::string_view text) {
      TableRow row;
      if (rows_of->read(text, row) || !tells_page(row, layout)) return std::string();
      return fmt::format("{}\n{}\n{}", row.query, row.session, row.page);
    };
  }
  return file;
}

// Neither empty nor a number, nor a list.
bool is_like_a_name(const TableColumn& column) {
  const std::string& name = column.name;
  return !name.empty() && !parse_double(name) && name.find_first_of(",;|") == std::string::npos;
}

// A row an item: so it can hold any id.
void write_csv(const Impression& impression, std::uint64_t session, std::string& out) {
  if (session == 0) out += "page,query,position,item,click\n";
  for (std::size_t k = 0; k < impression.items.size(); ++k) {
    fmt::format_to(std::back_inserter(out), "{},", session);
    write_field(impression.query.text, {}, out);
    fmt::format_to(std::back_inserter(out), ",{},", k + 1);
    write_field(impression.items[k].text, {}, out);
    out += impression.clicks[k] != 0 ? ",1\n" : ",0\n";
  }
}

}  // namespace

bool is_like_a_table(LogHead head) {
  constexpr std::size_t kLeast = 3;  // query, items, clicks
  const auto dialect = find_dialect(head, {}, false);
  if (!dialect) return false;
  const auto table = columns_of(head[0], *dialect, false);
  if (table.size() < kLeast || !std::all_of(table.begin(), table.end(), is_like_a_name)) {
    return false;
  }
  const LogHead rows = head.subspan(1);
  const auto same = std::count_if(rows.begin(), rows.end(), [&](std::string_view row) {
    return columns_of(row, *dialect, false).size() == table.size();
  });
  return static_cast<std::size_t>(same) >= rows.size() - rows.size() / 2;
}

const LogFormat kCsv{"csv",
                     "a header and columns, see --columns; comma, tab, semicolon or bar",
                     false,
                     {},
                     {},
                     write_csv,
                     recognises_csv,
                     csv_of_table};

}  // namespace dcmrank
