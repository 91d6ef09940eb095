#pragma once

#include <string>

#include "http_client.h"

namespace dcmrank::testing {

/// Where an answer is not what openapi.json says of this call: what differs; otherwise empty.
std::string differs_from_openapi(const std::string& method, const std::string& path,
                                 const HttpAnswer& answer);

}  // namespace dcmrank::testing
