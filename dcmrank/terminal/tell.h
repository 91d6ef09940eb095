#pragma once

#include <cstdio>
#include <utility>

#include <fmt/format.h>

namespace dcmrank::command {

/// Prints to standard error. Failures are ignored: the command's results go elsewhere.
template <class... Words>
void tell(fmt::format_string<Words...> text, Words&&... words) {
  std::fputs(fmt::format(text, std::forward<Words>(words)...).c_str(), stderr);
}

}  // namespace dcmrank::command
