#include "dcmrank/base/json_format.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/error.h"

namespace dcmrank {

void check_format(const nlohmann::ordered_json& json, std::string_view format, int version) {
  using nlohmann::ordered_json;
  if (!json.is_object() || json.value("format", ordered_json()) != format) {
    throw InputError(fmt::format("\"format\" is not \"{}\"", format));
  }
  const ordered_json found = json.value("version", ordered_json());
  if (found != version) {
    throw InputError(fmt::format("\"version\" is {}, not {}", found.dump(), version));
  }
}

}  // namespace dcmrank
