#include "dcmrank/base/choices.h"

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"

namespace dcmrank {

void throw_unknown(std::string_view what, std::string_view value,
                   std::span<const std::string> names) {
  throw InputError(fmt::format("{} is {}, not one of {}{}", what, quote(value),
                               fmt::join(names, ", "), suggestion(value, names)));
}

}  // namespace dcmrank
