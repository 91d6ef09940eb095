#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dcmrank/service/http_message.h"
#include "dcmrank/service/metrics.h"
#include "dcmrank/service/options.h"

namespace dcmrank::service {

class HttpLoop;

/// Where an answer that is not ready yet is to go. Any thread, once.
class Ticket {
 public:
  Ticket(HttpLoop* loop, std::uint64_t connection) : loop_(loop), connection_(connection) {}
  void answer(Response response) const;

 private:
  HttpLoop* loop_;
  std::uint64_t connection_;
};

/// What a thread of the server does with requests. One per thread.
struct Handler {
  /// Whether the answer is in `response`; otherwise it comes by the ticket.
  std::function<bool(const Request&, Response&, Ticket)> handle;
  /// How large the body of a request may be; asked before the body is read. An ApiError refuses.
  std::function<std::size_t(const RequestHead&)> body_limit;
};

/// An HTTP/1.1 server on epoll: keep-alive, pipelining, chunked bodies, limits of size and time.
/// Connections are dealt to the threads in turn and stay there.
class HttpServer {
 public:
  HttpServer(const Limits& limits, Metrics& metrics);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  HttpServer(HttpServer&&) = delete;
  HttpServer& operator=(HttpServer&&) = delete;

  /// Binds "host:port" (port 0: any) and returns the address that it got. Throws InputError.
  std::string listen(const std::string& address);
  void start(std::size_t threads, const std::function<Handler()>& make_handler);

  /// Takes no more requests, waits for answers under way (but no longer than a few seconds).
  void stop();

 private:
  Limits limits_;
  Metrics* metrics_;
  int listener_ = -1;
  std::vector<std::unique_ptr<HttpLoop>> loops_;
  std::atomic<std::size_t> open_ = 0;
};

/// Whether "host:port" is an address that only this machine can reach. Throws InputError.
bool is_loopback(const std::string& address);

/// {"error":{...}}
std::string error_body(const ApiError& error);

}  // namespace dcmrank::service
