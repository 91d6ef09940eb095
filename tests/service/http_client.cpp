#include "http_client.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <stdexcept>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace dcmrank::testing {

std::string HttpAnswer::code() const {
  const auto parsed = nlohmann::json::parse(body, nullptr, false);
  if (!parsed.is_object() || !parsed.contains("error")) return "";
  return parsed["error"].value("code", "");
}

HttpClient::HttpClient(const std::string& address) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
  const std::size_t colon = address.rfind(':');
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(colon + 1))));
  ::inet_pton(AF_INET, address.substr(0, colon).c_str(), &to.sin_addr);
  timeval patience{20, 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  ::setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  if (::connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) {
    ::close(fd_);
    throw std::runtime_error("cannot connect to " + address);
  }
}

HttpClient::~HttpClient() { ::close(fd_); }

void HttpClient::send(const std::string& bytes) const {
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t n = ::send(fd_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (n <= 0) return;  // refused half-way: the answer tells why
    sent += static_cast<std::size_t>(n);
  }
}

void HttpClient::close_sending() const { ::shutdown(fd_, SHUT_WR); }

bool HttpClient::fill() {
  std::array<char, 65536> bytes{};
  const ssize_t n = ::recv(fd_, bytes.data(), bytes.size(), 0);
  closed_ = n == 0 || (n < 0 && errno == ECONNRESET);
  if (n <= 0) return false;
  buffer_.append(bytes.data(), static_cast<std::size_t>(n));
  return true;
}

bool HttpClient::ended() {
  while (fill()) buffer_.clear();
  return closed_;
}

std::string HttpClient::everything() {
  while (fill()) {
  }
  return std::exchange(buffer_, {});
}

bool HttpClient::try_send(const std::string& bytes) {
  char byte = 0;
  const ssize_t there = ::recv(fd_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  if (there == 0 || (there < 0 && errno == ECONNRESET)) return false;
  return ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT) > 0;
}

bool HttpClient::can_connect(const std::string& address) {
  try {
    const HttpClient client(address);
    return true;
  } catch (const std::runtime_error&) {
    return false;
  }
}

std::string HttpClient::take(std::size_t size) {
  while (buffer_.size() < size && fill()) {
  }
  std::string result = buffer_.substr(0, size);
  buffer_.erase(0, size);
  return result;
}

std::string HttpClient::line() {
  while (buffer_.find("\r\n") == std::string::npos && fill()) {
  }
  const std::size_t end = std::min(buffer_.find("\r\n"), buffer_.size());
  std::string result = buffer_.substr(0, end);
  buffer_.erase(0, end + 2);
  return result;
}

HttpAnswer HttpClient::receive() {
  HttpAnswer answer;
  const std::string first = line();
  if (first.size() < 12) return answer;
  answer.status = std::stoi(first.substr(9, 3));
  for (std::string field = line(); !field.empty(); field = line()) {
    const std::size_t colon = field.find(": ");
    std::string name = field.substr(0, colon);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    answer.headers[name] = field.substr(colon + 2);
  }
  if (answer.status == 100) return receive();
  if (answer.headers.contains("transfer-encoding")) {
    for (;;) {
      const std::size_t size = std::stoul("0" + line(), nullptr, 16);
      answer.body += take(size);
      line();
      if (size == 0) return answer;
    }
  }
  answer.body = take(std::stoul("0" + answer.headers["content-length"]));
  return answer;
}

HttpAnswer HttpClient::call(const std::string& method, const std::string& path,
                            const std::string& body, const std::string& headers) {
  send(request(method, path, body, headers));
  return receive();
}

std::string request(const std::string& method, const std::string& path, const std::string& body,
                    const std::string& headers) {
  return method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n" + headers +
         (body.empty() && method == "GET"
              ? ""
              : "Content-Length: " + std::to_string(body.size()) + "\r\n") +
         "\r\n" + body;
}

}  // namespace dcmrank::testing
