#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace dcmrank {

/// Parses a whole JSON text. Throws InputError with `source` (a file's name), line, column and byte
/// of the first error.
nlohmann::ordered_json parse_json(std::string_view text, const std::string& source);

/// As a file holds it: indented, arrays of numbers and strings on one line, a newline at the end.
/// Numbers are written so that they read back as the same double.
std::string print_json(const nlohmann::ordered_json& json);

}  // namespace dcmrank
