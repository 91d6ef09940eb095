#pragma once

#include <string>
#include <string_view>

namespace dcmrank::service {

/// SHA-256, 32 bytes.
std::string sha256(std::string_view text);

}  // namespace dcmrank::service
