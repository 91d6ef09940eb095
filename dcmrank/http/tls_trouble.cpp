#include "dcmrank/http/tls_trouble.h"

#include <boost/asio/ssl/error.hpp>
#include <openssl/err.h>
#include <openssl/sslerr.h>

namespace dcmrank::service {

std::optional<std::string> why_no_tls(const boost::system::error_code& error) {
  if (error.category() != boost::asio::error::get_ssl_category()) return std::nullopt;
  const auto code = static_cast<unsigned long>(error.value());  // NOLINT(google-runtime-int)
  const bool plain = ERR_GET_REASON(code) == SSL_R_HTTP_REQUEST;
  return plain ? "plain HTTP, where TLS is spoken: say https:// and not http://" : error.message();
}

}  // namespace dcmrank::service
