#pragma once

#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace dcmrank {

/// Throws InputError unless the file says that it is of this format and version.
void check_format(const nlohmann::ordered_json& json, std::string_view format, int version);

}  // namespace dcmrank
