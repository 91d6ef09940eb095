#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace dcmrank::service {

/// The limits of the server; times are in milliseconds.
struct HttpLimits {
  std::size_t header = 16U << 10U;    // bytes of a request's head
  std::size_t bodies = 512U << 20U;   // bytes of all bodies that are under way
  std::size_t connections = 1024;     // open at a time
  std::int64_t header_time = 10'000;  // for a request's head
  std::int64_t body_time = 30'000;    // and for its body
  std::int64_t idle_time = 75'000;    // between requests
  std::int64_t answer_time = 30'000;  // for the caller to take the answer
};

/// A request and its answer, for those who write it down.
struct Exchange {
  std::string_view id;  // of the request, as the caller sees it
  std::string_view method;
  std::string_view call;     // as the handler names it
  std::string_view caller;   // likewise
  std::string_view problem;  // likewise: why it was refused
  std::string_view peer;     // the address it came from; empty for a Unix socket
  int status = 0;
  double seconds = 0;     // from its last byte to its answer
  std::size_t bytes = 0;  // of the body of the answer; of one in pieces, of those that were sent
};

/// What the server tells of itself. Any thread.
class HttpWatch {
 public:
  HttpWatch() = default;
  virtual ~HttpWatch() = default;
  HttpWatch(const HttpWatch&) = delete;
  HttpWatch& operator=(const HttpWatch&) = delete;
  HttpWatch(HttpWatch&&) = delete;
  HttpWatch& operator=(HttpWatch&&) = delete;

  /// A request, or a whole connection, was refused.
  virtual void refused(const std::string& code) = 0;
  /// Nobody can connect until others have closed: no descriptor or no memory is left.
  virtual void not_accepting(const std::string& why) = 0;
  /// Whoever connected from there does not speak TLS as we do.
  virtual void not_tls(std::string_view peer, const std::string& why) = 0;
  /// So many connections are open now.
  virtual void now_open(std::size_t connections) = 0;
  /// A request was answered, or refused.
  virtual void answered(const Exchange& exchange) = 0;
};

}  // namespace dcmrank::service
