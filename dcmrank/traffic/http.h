#pragma once

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace dcmrank::traffic {

/// Where a service listens: "http://127.0.0.1:8080".
struct Url {
  std::string host;
  std::uint16_t port = 80;
};

/// Throws InputError if the text is not such an address.
Url parse_url(const std::string& text);

struct Answer {
  int status = 0;
  std::string body;
};

/// The connection could not be made, or ended before the answer was there.
class Broken : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One keep-alive connection of a client, made when it is needed and again after it broke.
class Connection {
 public:
  Connection(Url url, std::string key, std::chrono::milliseconds patience)
      : url_(std::move(url)), key_(std::move(key)), patience_(patience) {}
  ~Connection() { close(); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  Connection(Connection&&) = delete;
  Connection& operator=(Connection&&) = delete;

  /// Throws Broken where there is no whole answer within the patience.
  Answer call(std::string_view method, std::string_view path, std::string_view body = "");
  void close();

 private:
  void open();
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
  int fd_ = -1;
  std::string request_;
  std::string buffer_;
  std::size_t at_ = 0;  // of buffer_, what was taken
};

}  // namespace dcmrank::traffic
