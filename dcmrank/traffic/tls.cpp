#include "dcmrank/traffic/tls.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <stdexcept>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"

namespace dcmrank::traffic {
namespace {

int at_most(std::size_t size) { return static_cast<int>(std::min<std::size_t>(size, INT_MAX)); }

bool is_address(const std::string& host) {
  in6_addr address{};
  return ::inet_pton(AF_INET, host.c_str(), &address) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

}  // namespace

std::shared_ptr<SSL_CTX> make_tls(const std::string& ca_file) {
  std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_client_method()), &SSL_CTX_free);
  if (!context) throw std::runtime_error("TLS is not available on this machine");
  std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes without MSG_NOSIGNAL
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_mode(context.get(),
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  if (ca_file.empty()) {
    SSL_CTX_set_default_verify_paths(context.get());
  } else if (SSL_CTX_load_verify_locations(context.get(), ca_file.c_str(), nullptr) != 1) {
    ERR_clear_error();
    throw InputError(fmt::format("--ca {}: the file holds no certificates", quote(ca_file)));
  }
  return context;
}

TlsStream::TlsStream(SSL_CTX& context, int socket, const std::string& host)
    : ssl_(SSL_new(&context), &SSL_free) {
  if (!ssl_ || SSL_set_fd(ssl_.get(), socket) != 1) throw std::runtime_error("no memory for TLS");
  if (is_address(host)) {
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl_.get()), host.c_str());
  } else {
    SSL_set1_host(ssl_.get(), host.c_str());
    SSL_set_tlsext_host_name(ssl_.get(), host.c_str());
  }
}

// As recv() and send() say it.
ssize_t TlsStream::done(int result) {
  if (result > 0) return result;
  const int why = SSL_get_error(ssl_.get(), result);
  ERR_clear_error();  // of this thread; the next call would take it for its own
  if (why == SSL_ERROR_ZERO_RETURN) return 0;
  wants_ = why == SSL_ERROR_WANT_WRITE ? POLLOUT : POLLIN;
  errno = why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE ? EAGAIN : EPIPE;
  return -1;
}

bool TlsStream::handshake() {
  ERR_clear_error();
  if (done(SSL_connect(ssl_.get())) > 0) return true;
  if (errno == EAGAIN) return false;
  const long verdict = SSL_get_verify_result(ssl_.get());
  throw std::runtime_error(verdict == X509_V_OK
                               ? "the server does not speak TLS"
                               : fmt::format("the certificate is not trusted: {}",
                                             X509_verify_cert_error_string(verdict)));
}

ssize_t TlsStream::send(const char* bytes, std::size_t size) {
  return done(SSL_write(ssl_.get(), bytes, at_most(size)));
}

ssize_t TlsStream::receive(char* bytes, std::size_t size) {
  return done(SSL_read(ssl_.get(), bytes, at_most(size)));
}

}  // namespace dcmrank::traffic
