#pragma once

#include <cstdio>
#include <utility>

#include <fmt/format.h>

namespace dcmrank::command {

/// On the standard error. Whether anybody hears it changes nothing: what the command is for is
/// elsewhere.
template <class... Words>
void tell(fmt::format_string<Words...> text, Words&&... words) {
  std::fputs(fmt::format(text, std::forward<Words>(words)...).c_str(), stderr);
}

}  // namespace dcmrank::command
