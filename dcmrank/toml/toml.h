#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace dcmrank {

/// A date, or a date and a time; `offset` from UTC in minutes, where there is one.
struct TomlMoment {
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  bool has_time = false;
  int seconds = 0;  // of the day
  std::optional<int> offset{};
};

struct TomlMember;

/// A value of a TOML file, and where it is. Reading it as another type throws InputError that says
/// where, what it is called and what it should be: "FILE:LINE:COLUMN: NAME is a boolean, not a
/// text".
struct TomlValue {
  using Array = std::vector<TomlValue>;
  using Table = std::vector<TomlMember>;  // in the order of their names
  struct Other {};                        // a time of day, which nothing here uses

  std::variant<std::string, std::int64_t, double, bool, TomlMoment, Array, Table, Other> value;
  std::string where;  // FILE:LINE:COLUMN of its name, of itself where it has none
  std::string name;   // "a value", where it has none
  std::size_t line = 0;

  template <class T>
  const T* as() const {
    return std::get_if<T>(&value);
  }
  const std::string& text(std::string_view demand = "a text") const;
  const Table& table(std::string_view demand = "a table") const;
  const Array& array(std::string_view demand) const;

  /// The member, or nullptr; of a table.
  const TomlValue* find(std::string_view member) const;

  /// "a boolean".
  std::string_view type_name() const;
  [[noreturn]] void refuse(std::string_view demand) const;
};

struct TomlMember {
  std::string name;
  TomlValue value;
};

/// The table that a file is. Throws InputError naming the file, the line and the column if it is
/// not TOML, or empty.
TomlValue parse_toml(std::string_view text, const std::string& file);

}  // namespace dcmrank
