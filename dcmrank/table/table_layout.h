#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dcmrank/table/columns.h"

namespace dcmrank {

/// What the clicks of a table with one row per page are.
enum class ClicksAs : std::uint8_t { kFlags, kItems, kPositions };

/// How a table holds pages.
struct TableLayout {
  bool row_an_item = false;
  ClicksAs clicks = ClicksAs::kFlags;
  bool has_position = false;
  bool has_session = false;
  bool has_page = false;
  double first_position = 0;              // with one row per item: where lists begin
  std::array<std::string, kRoles> names;  // of the columns, the first of several
  std::string doubt;  // what makes it doubtful that the table was meant so, for people
};

/// What a row says, whatever its table is written in. Texts stay with whoever made the row.
struct TableRow {
  std::string_view query;
  std::vector<std::string_view> items;  // one where rows are items
  std::vector<std::string_view> clicks;
  std::string_view position;
  std::string_view session;
  std::string_view page;

  void clear();
};

/// Decides how a table holds pages, from some of its rows.
TableLayout sniff_layout(const std::vector<TableColumn>& table, const ColumnPlaces& places,
                         const Columns& named, const std::vector<TableRow>& rows);

/// "one row per item; query=q, items=doc, clicks=clicked, position=rank".
std::string describe(const TableLayout& layout, const ColumnPlaces& places,
                     const std::vector<TableColumn>& table);

/// Whether a page column says a page there: not where it is empty, or says that it has no value.
bool names_page(std::string_view page);
/// Whether a row of a table with one row per item says which page it is of.
bool tells_page(const TableRow& row, const TableLayout& layout);

/// Whether two pages of a query and session, one after the other, may be one page whose rows are in
/// another order: no position is in both. Of each the positions, rising. (A deeper page of results
/// before one further up is a page.)
bool may_be_one_page(std::span<const double> before, std::span<const double> after);

/// Whether an item that is alone on its page is not where lists begin, as far as `layout` knows.
bool is_lone(double position, const TableLayout& layout);
/// Whether so many pages are such items that rows of pages do not stand together.
inline bool are_mostly_lone(std::uint64_t lone, std::uint64_t pages) { return lone > pages / 2; }
/// What to do where rows of a page do not stand in the order of its positions, or not together.
inline constexpr const char* kSortByPosition =
    "sort the file by page and position, or name the column that tells pages apart, as in "
    "--columns page=...";

/// The item that a position of the row names, counted from 0.
std::optional<std::size_t> place_of(const TableRow& row, std::string_view word);
std::optional<double> position_of(std::string_view text);

}  // namespace dcmrank
