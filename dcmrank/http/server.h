#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "dcmrank/http/limits.h"
#include "dcmrank/http/message.h"

namespace dcmrank::service {

class HttpLoop;

/// Where an answer that is not ready yet is to go. Any thread, once.
class Ticket {
 public:
  Ticket(HttpLoop* loop, std::uint64_t session) : loop_(loop), session_(session) {}
  void answer(Response response) const;

 private:
  HttpLoop* loop_;
  std::uint64_t session_;
};

/// What a thread of the server does with requests. One per thread.
struct Handler {
  /// Whether the answer is in `response`; otherwise it comes by the ticket.
  std::function<bool(const Request&, Response&, Ticket)> handle;
  /// As RequestReader::BodyLimit.
  std::function<std::size_t(const RequestHead&)> body_limit;
};

/// Throws InputError where use_tls() would.
void check_tls(const std::string& certificate, const std::string& key);

/// An HTTP/1.1 server on Boost.Asio and Boost.Beast: keep-alive, pipelining, chunked bodies, TLS,
/// Unix sockets, limits of size and time. Connections are dealt to the threads in turn and stay
/// there.
class HttpServer {
 public:
  HttpServer(const HttpLimits& limits, HttpWatch& watch);
  ~HttpServer();  // NOLINT(bugprone-exception-escape): where no memory is left to stop, nothing is
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  HttpServer(HttpServer&&) = delete;
  HttpServer& operator=(HttpServer&&) = delete;

  /// Binds "host:port" (port 0: any) or "unix:PATH", and returns the address that it got. Until
  /// start() nobody is answered, and over TCP nobody gets a connection. `mode`: of the socket's
  /// file, if the umask is not to decide. Throws InputError.
  std::string listen(const std::string& address, std::optional<unsigned> mode = std::nullopt);

  /// Speaks TLS (1.2 and later) from now on, by a chain of certificates and a key in PEM files;
  /// again: with new ones, for new connections. Throws InputError, and leaves things as they were.
  void use_tls(const std::string& certificate, const std::string& key);

  /// What to do at SIGHUP; where it throws, things stay as they are. Call before start.
  void on_hangup(std::function<void()> work);

  /// Throws InputError where another took the address meanwhile.
  void start(std::size_t threads, const std::function<Handler()>& make_handler);

  /// Closes the listener, takes no more requests, and waits for answers under way, 10 s at most.
  /// Those whose request has not come whole within 3 s get a 503.
  void stop();

 private:
  struct Listening;
  std::unique_ptr<Listening> listening_;
};

}  // namespace dcmrank::service
