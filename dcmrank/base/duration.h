#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dcmrank {

/// "30m", "2h", "45s", "1d", "500ms" in milliseconds; nothing if it is not a time of at least
/// 1 ms and at most ten years.
std::optional<std::int64_t> parse_duration(std::string_view text);
std::string print_duration(std::int64_t milliseconds);

}  // namespace dcmrank
