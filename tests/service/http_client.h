#pragma once

#include <map>
#include <string>

#include <nlohmann/json.hpp>

namespace dcmrank::testing {

struct HttpAnswer {
  int status = 0;                              // 0: the connection ended without an answer
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;

  nlohmann::json json() const { return nlohmann::json::parse(body); }
  /// The code of an error.
  std::string code() const;
};

/// A connection to "host:port". Speaks as it is told: also what no decent client would say.
class HttpClient {
 public:
  explicit HttpClient(const std::string& address);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  static bool can_connect(const std::string& address);

  void send(const std::string& bytes) const;
  /// False where the other side takes no more, or has closed.
  bool try_send(const std::string& bytes);
  void close_sending() const;
  HttpAnswer receive();
  /// Whether the other side closes, within the client's patience.
  bool ended();
  /// All that comes until it does.
  std::string everything();

  HttpAnswer call(const std::string& method, const std::string& path, const std::string& body = "",
                  const std::string& headers = "");

 private:
  bool fill();
  std::string take(std::size_t size);
  std::string line();

  int fd_ = -1;
  bool closed_ = false;
  std::string buffer_;
};

/// A request as a decent client would write it.
std::string request(const std::string& method, const std::string& path, const std::string& body,
                    const std::string& headers = "");

}  // namespace dcmrank::testing
