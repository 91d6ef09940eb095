#pragma once

#include <string>
#include <string_view>

namespace dcmrank::service {

/// The address of a database for messages: user, host, port and name alone.
std::string without_password(std::string_view uri);

/// An address that says the same, but for its passwords; where there are none, the text as it is.
std::string hide_password(const std::string& uri);

}  // namespace dcmrank::service
