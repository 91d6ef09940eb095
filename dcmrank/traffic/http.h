#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <sys/socket.h>

#include "dcmrank/traffic/tls.h"

namespace dcmrank::traffic {

/// Where a service listens: "http://127.0.0.1:8080", "https://…" or "unix:PATH".
struct Url {
  std::string host;
  std::uint16_t port = 80;
  bool tls = false;
  std::string path{};  // of a Unix socket

  /// As the header Host names it.
  std::string authority() const;
  /// As messages name it.
  std::string name() const;
};

/// Throws InputError if the text is not such an address.
Url parse_url(const std::string& text);

struct Answer {
  int status = 0;
  std::string body;
  std::chrono::seconds retry_after{0};  // as it says; 0: it does not
};

/// The connection could not be made, or ended before the answer was there.
class Broken : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One keep-alive connection of a client, made when it is needed and again after it broke.
class Connection {
 public:
  /// `tls` says whose certificates are trusted; needed if the address says https.
  Connection(Url url, std::string key, std::chrono::milliseconds patience,
             std::shared_ptr<SSL_CTX> tls = nullptr)
      : url_(std::move(url)), key_(std::move(key)), patience_(patience), tls_(std::move(tls)) {}
  ~Connection() { close(); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  Connection(Connection&&) = delete;
  Connection& operator=(Connection&&) = delete;

  /// Throws Broken if there is no whole answer within the patience.
  Answer call(std::string_view method, std::string_view path, std::string_view body = "");
  void close();

 private:
  void open();
  void connect();
  void connect_local();
  bool try_address(int family, const sockaddr* to, socklen_t size);
  short to_wait_for(short plain) const { return stream_ ? stream_->wants() : plain; }
  void send(std::string_view bytes);
  void fill();
  std::string line();
  void take(std::size_t size, std::string& out);
  std::string chunks();
  void wait_for(short what) const;

  Url url_;
  std::string key_;
  std::chrono::milliseconds patience_;
  std::chrono::steady_clock::time_point until_;
  std::shared_ptr<SSL_CTX> tls_;
  int fd_ = -1;
  std::optional<TlsStream> stream_;  // on the socket, where it speaks TLS
  std::string request_;
  std::string buffer_;
  std::size_t at_ = 0;  // of buffer_, what was taken
};

}  // namespace dcmrank::traffic
