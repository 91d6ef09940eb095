#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dcmrank::service {

/// Writers of JSON, straight into the answer.
void append_text(std::string& out, std::string_view text);  // in quotes, escaped
void append_number(std::string& out, double value);         // as short as it can be read back
void append_number(std::string& out, std::uint64_t value);

}  // namespace dcmrank::service
