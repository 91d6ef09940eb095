// TLS for the clients of `traffic`, by OpenSSL.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include <sys/types.h>

using SSL_CTX = struct ssl_ctx_st;
using SSL = struct ssl_st;

namespace dcmrank::traffic {

/// Whose certificates are trusted: those of a file (PEM), or the system's if it has no name. Throws
/// InputError, which names the option.
std::shared_ptr<SSL_CTX> make_tls(const std::string& ca_file);

/// TLS on a socket that does not block. Calls return what recv() and send() would, with errno
/// EAGAIN where the socket has to be waited for: for what, wants() says.
class TlsStream {
 public:
  /// `host` is whom the certificate must name.
  TlsStream(SSL_CTX& context, int socket, const std::string& host);

  /// Whether it is done; throws std::runtime_error, which says why, if it cannot be.
  bool handshake();
  ssize_t send(const char* bytes, std::size_t size);
  ssize_t receive(char* bytes, std::size_t size);
  /// POLLIN or POLLOUT, after EAGAIN.
  short wants() const { return wants_; }

 private:
  ssize_t done(int result);

  std::unique_ptr<SSL, void (*)(SSL*)> ssl_;
  short wants_ = 0;
};

}  // namespace dcmrank::traffic
