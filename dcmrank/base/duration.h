#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dcmrank {

/// "30m", "2h", "45s", "1d", "500ms" in milliseconds; nothing if it is not a time of at least
/// 1 ms and at most ten years.
std::optional<std::int64_t> parse_duration(std::string_view text);
/// What a text must be to be read: "a time such as 30m, 45s or 2h, at most 3650d".
std::string duration_demand();
std::string print_duration(std::int64_t milliseconds);

}  // namespace dcmrank
