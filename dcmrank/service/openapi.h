#pragma once

#include <string_view>

namespace dcmrank::service {

/// The description of all calls (OpenAPI 3.1), which is the file openapi.json.
std::string_view openapi_document();

/// Of the program: 0.1.0.
std::string_view program_version();

}  // namespace dcmrank::service
