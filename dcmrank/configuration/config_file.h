#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dcmrank/service/key_entry.h"

namespace dcmrank::configuration {

/// A value of a type that no option has: "a boolean".
struct OtherType {
  std::string_view name;
};

/// One line of a configuration file.
struct Line {
  std::string name;
  std::variant<std::string, std::int64_t, OtherType> value;
  std::size_t number = 0;
  std::string where;  // FILE:LINE:COLUMN of the name
};

struct ConfigFile {
  std::vector<Line> lines;  // in the order of their names
  std::vector<service::KeyEntry> keys;
};

/// The text of a configuration file (TOML): options, and keys as tables [[keys]]. Throws InputError
/// naming the file, the line and the column.
ConfigFile parse_config_file(std::string_view text, const std::string& file);

}  // namespace dcmrank::configuration
