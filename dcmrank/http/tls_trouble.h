#pragma once

#include <optional>
#include <string>

#include <boost/system/error_code.hpp>

namespace dcmrank::service {

/// Why a handshake came to nothing; nothing of one who only connected and went again, who has not
/// spoken at all.
std::optional<std::string> why_no_tls(const boost::system::error_code& error);

}  // namespace dcmrank::service
