#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include <simdjson.h>

#include "dcmrank/table/columns.h"
#include "dcmrank/table/table_pages.h"

namespace dcmrank {

/// A place in a JSON object: "request.q", or "results[].id" for that of every object of an array.
class JsonPath {
 public:
  explicit JsonPath(std::string_view text);

  /// Appends the texts of the values there: of an array all. What an object of an array lacks is
  /// empty. Numbers, which have no text of their own, are kept in `kept`. False for an object, and
  /// for an array where `list` is false.
  bool find(simdjson::dom::element object, std::vector<std::string_view>& texts, bool list,
            std::deque<std::string>& kept) const;

 private:
  struct Step {
    std::string key;
    bool each = false;
  };
  bool find(simdjson::dom::element value, std::size_t step, std::vector<std::string_view>& texts,
            bool list, std::deque<std::string>& kept) const;

  std::vector<Step> steps_;
};

/// Everything that an object of the file is read by.
struct JsonShape {
  std::vector<TableColumn> table;
  ColumnPlaces places;
  TableLayout layout;
  bool padded = false;  // the lines are (page/fields.h)
};

/// The paths of all values of some objects, shallow ones first.
std::vector<TableColumn> paths_of(const std::vector<std::string_view>& lines);

/// Reads objects of one file; views are valid until the next. One thread at a time.
class JsonRows {
 public:
  explicit JsonRows(const JsonShape& shape);

  /// What is wrong with the line, if anything.
  std::optional<Skip> read(std::string_view line, TableRow& row);
  /// What a line that is no row says of its page.
  void read_lost(std::string_view line, TableRow& row) { read(line, row); }
  static bool is_header(std::string_view /*line*/) { return false; }

 private:
  bool read_one(simdjson::dom::element object, Role role, std::string_view& text);
  bool read_all(simdjson::dom::element object, Role role, std::vector<std::string_view>& texts);

  std::array<std::vector<JsonPath>, kRoles> paths_;
  simdjson::dom::parser parser_;
  bool copies_;  // lines, to pad them
  std::deque<std::string> kept_;
  std::vector<std::string_view> one_;
};

}  // namespace dcmrank
