#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace dcmrank {

/// Parses a whole JSON text. Throws InputError with `source` (a file's name) and the line, byte and
/// reason of the first error.
nlohmann::ordered_json parse_json(std::string_view text, const std::string& source);

/// JSON as our files hold it: indented, arrays of numbers and strings on one line, a newline at the
/// end. Numbers are written so that they read back as the same double.
std::string print_json(const nlohmann::ordered_json& json);

/// The message of an exception, without what the JSON library puts before its own.
std::string_view json_reason(std::string_view message);

}  // namespace dcmrank
