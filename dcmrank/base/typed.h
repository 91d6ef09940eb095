#pragma once

#include <algorithm>
#include <cctype>
#include <string_view>

namespace dcmrank {

/// Whether it can be a name that users type, alone or in a list, with options behind it: visible
/// characters but ':', ',' and '='.
inline bool can_be_typed(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isgraph(c) != 0 && c != ':' && c != ',' && c != '=';
  });
}

/// The same in words, for messages.
inline constexpr std::string_view kWhatCanBeTyped = "use visible characters but ':', ',' and '='";

}  // namespace dcmrank
