#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dcmrank {

/// What a column of a table of pages holds. A table has one row per page, with lists of items and
/// of clicks, or one row per item.
enum class Role : std::uint8_t { kQuery, kItems, kClicks, kPosition, kSession, kPage };
inline constexpr std::size_t kRoles = 6;

/// "query", "items", ...
std::string_view role_name(Role role);

/// Which columns a user named: by a name of the header, or a path in JSON. One that ends in *
/// stands for all columns that begin so and end in a number.
class Columns {
 public:
  /// From "query=q,items=docs,clicks=clicked"; item and click are items and clicks of a table with
  /// one row per item. Throws InputError.
  static Columns parse(std::string_view text);

  const std::string& operator[](Role role) const { return names_[static_cast<std::size_t>(role)]; }
  bool empty() const;
  bool row_an_item() const { return row_an_item_; }
  /// Whether columns are named by their numbers, from 1, because the table has no header.
  bool by_number() const;

 private:
  std::array<std::string, kRoles> names_;
  bool row_an_item_ = false;
};

/// A column of a table, or a path of a JSON object, that a role may be found in.
struct TableColumn {
  std::string name;
  bool list = false;  // its values are lists, as JSON has them
};

/// The columns of each role, as places among those of a table; several where they are numbered.
struct ColumnPlaces {
  std::array<std::vector<std::size_t>, kRoles> of;
  bool row_an_item = false;  // its items column is named for one item, or a user said so

  const std::vector<std::size_t>& operator[](Role role) const {
    return of[static_cast<std::size_t>(role)];
  }
  bool has(Role role) const { return !(*this)[role].empty(); }
};

/// Finds those that the user named, then others by usual names. Throws InputError that lists what
/// there is where a named one is missing, and where there is none for query, items or clicks.
ColumnPlaces find_columns(std::span<const TableColumn> table, const Columns& named);

/// Whether find_columns would find what is needed.
bool has_columns(std::span<const TableColumn> table, const Columns& named);

}  // namespace dcmrank
