#pragma once

#include <string_view>

namespace dcmrank::service {

/// The description of all calls (OpenAPI 3.1), which is the file openapi.json.
std::string_view openapi_document();

}  // namespace dcmrank::service
