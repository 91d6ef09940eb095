#include "dcmrank/traffic/http.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/un.h>
#include <unistd.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"

namespace dcmrank::traffic {
namespace {

constexpr std::size_t kLongestLine = 64U << 10U;
constexpr unsigned long long kDay = 86'400;  // seconds

using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

Addresses resolve(const Url& url) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const std::string port = std::to_string(url.port);
  if (::getaddrinfo(url.host.c_str(), port.c_str(), &hints, &found) != 0) {
    throw Broken(fmt::format("there is no host {}", quote(url.host)));
  }
  return {found, &::freeaddrinfo};
}

// The value of a header field, where the line has that name.
std::optional<std::string> field(std::string_view line, std::string_view name) {
  if (line.size() <= name.size() || line[name.size()] != ':') return std::nullopt;
  const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  if (!std::equal(name.begin(), name.end(), line.begin(),
                  [&](char b, char a) { return same(a, b); }))
    return std::nullopt;
  const std::size_t start = line.find_first_not_of(' ', name.size() + 1);
  return std::string(start == std::string_view::npos ? "" : line.substr(start));
}

}  // namespace

std::string Url::authority() const {
  const bool numbers = host.find(':') != std::string::npos;  // of IPv6
  return fmt::format("{}{}{}:{}", numbers ? "[" : "", host, numbers ? "]" : "", port);
}

std::string Url::name() const { return path.empty() ? authority() : fmt::format("unix:{}", path); }

Url parse_url(const std::string& text) {
  std::string_view rest = text;
  constexpr std::string_view kUnix = "unix:";
  if (rest.starts_with(kUnix) && rest.size() > kUnix.size() &&
      rest.size() - kUnix.size() < sizeof sockaddr_un::sun_path) {
    return {"localhost", 80, false, std::string(rest.substr(kUnix.size()))};
  }
  const bool tls = rest.starts_with("https://");
  if (tls || rest.starts_with("http://")) {
    rest.remove_prefix(rest.find("//") + 2);
    if (rest.ends_with('/')) rest.remove_suffix(1);
    const std::size_t colon = rest.ends_with(']') ? std::string_view::npos : rest.rfind(':');
    const auto port = colon == std::string_view::npos
                          ? std::optional<unsigned long long>(tls ? 443 : 80)
                          : parse_unsigned(rest.substr(colon + 1));
    std::string_view host = rest.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    const bool plain = !host.empty() && host.find_first_of("/?#@ []") == std::string_view::npos;
    if (plain && port && *port > 0 && *port < 65536) {
      return {std::string(host), static_cast<std::uint16_t>(*port), tls};
    }
  }
  throw InputError(fmt::format(
      "--url is {}, not an address such as http://127.0.0.1:8080, https://… or unix:PATH",
      quote(text)));
}

void Connection::close() {
  stream_.reset();
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
  buffer_.clear();
  at_ = 0;
}

void Connection::open() {
  connect();
  if (!url_.tls) return;
  try {
    stream_.emplace(*tls_, fd_, url_.host);
    while (!stream_->handshake()) wait_for(stream_->wants());
  } catch (const Broken&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw Broken(fmt::format("{}: {}", url_.name(), error.what()));
  }
}

// Whether somebody listens there.
bool Connection::try_address(int family, const sockaddr* to, socklen_t size) {
  fd_ = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd_ < 0) return false;
  int failure = 0;
  if (::connect(fd_, to, size) != 0) {
    failure = errno;
    if (failure == EINPROGRESS) {
      wait_for(POLLOUT);
      socklen_t length = sizeof failure;
      ::getsockopt(fd_, SOL_SOCKET, SO_ERROR, &failure, &length);
    }
  }
  if (failure != 0) close();
  return failure == 0;
}

void Connection::connect_local() {
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  url_.path.copy(static_cast<char*>(to.sun_path), sizeof to.sun_path - 1);
  if (try_address(AF_UNIX, reinterpret_cast<const sockaddr*>(&to), sizeof to)) return;
  throw Broken(fmt::format("nothing listens on {}", url_.name()));
}

void Connection::connect() {
  if (!url_.path.empty()) return connect_local();
  const Addresses addresses = resolve(url_);
  for (const addrinfo* to = addresses.get(); to != nullptr; to = to->ai_next) {
    if (!try_address(to->ai_family, to->ai_addr, to->ai_addrlen)) continue;
    const int on = 1;
    ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return;
  }
  throw Broken(fmt::format("nothing listens on {}", url_.name()));
}

void Connection::wait_for(short what) const {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      until_ - std::chrono::steady_clock::now());
  pollfd waiting{fd_, what, 0};
  if (left.count() <= 0 || ::poll(&waiting, 1, static_cast<int>(left.count())) <= 0) {
    throw Broken("no answer in time");
  }
}

void Connection::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = stream_ ? stream_->send(bytes.data(), bytes.size())
                                 : ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    } else if (sent < 0 && (errno == EAGAIN || errno == EINTR)) {
      wait_for(to_wait_for(POLLOUT));
    } else {
      throw Broken("the connection was closed");
    }
  }
}

void Connection::fill() {
  constexpr std::size_t kPiece = 16U << 10U;
  if (at_ == buffer_.size()) {
    buffer_.clear();
    at_ = 0;
  }
  std::array<char, kPiece> piece;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  for (;;) {
    const ssize_t got = stream_ ? stream_->receive(piece.data(), piece.size())
                                : ::recv(fd_, piece.data(), piece.size(), 0);
    if (got > 0) {
      buffer_.append(piece.data(), static_cast<std::size_t>(got));
      return;
    }
    if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
      throw Broken("the connection was closed before the answer");
    }
    wait_for(to_wait_for(POLLIN));
  }
}

std::string Connection::line() {
  for (;;) {
    const std::size_t end = buffer_.find("\r\n", at_);
    if (end != std::string::npos) {
      std::string result = buffer_.substr(at_, end - at_);
      at_ = end + 2;
      return result;
    }
    if (buffer_.size() - at_ > kLongestLine) throw Broken("the answer is not HTTP");
    fill();
  }
}

void Connection::take(std::size_t size, std::string& out) {
  while (size > 0) {
    if (at_ == buffer_.size()) fill();
    const std::size_t now = std::min(size, buffer_.size() - at_);
    out.append(buffer_, at_, now);
    at_ += now;
    size -= now;
  }
}

std::string Connection::chunks() {
  std::string body;
  for (;;) {
    const std::string text = line();
    std::size_t size = 0;
    for (const char c : text.substr(0, text.find(';'))) {
      const auto digit = std::string_view("0123456789abcdef")
                             .find(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
      if (digit == std::string_view::npos || size >> 40U != 0) throw Broken("a chunk has no size");
      size = size * 16 + digit;
    }
    take(size, body);
    line();
    if (size == 0) return body;
  }
}

Answer Connection::call(std::string_view method, std::string_view path, std::string_view body) {
  until_ = std::chrono::steady_clock::now() + patience_;
  try {
    if (fd_ < 0) open();
    request_.clear();
    fmt::format_to(std::back_inserter(request_), "{} {} HTTP/1.1\r\nHost: {}\r\n", method, path,
                   url_.authority());
    if (!key_.empty()) request_ += "Authorization: Bearer " + key_ + "\r\n";
    if (method != "GET") {
      fmt::format_to(std::back_inserter(request_),
                     "Content-Type: application/json\r\nContent-Length: {}\r\n", body.size());
    }
    request_ += "\r\n";
    request_ += body;
    send(request_);
    const std::string status = line();
    const auto code = status.starts_with("HTTP/1.1 ") ? parse_unsigned(status.substr(9, 3))
                                                      : std::optional<unsigned long long>();
    if (!code) throw Broken("the answer is not HTTP");
    Answer answer{static_cast<int>(*code), "", {}};
    std::size_t size = 0;
    bool chunked = false;
    bool last = false;
    for (std::string head = line(); !head.empty(); head = line()) {
      if (const auto length = field(head, "content-length")) {
        size = parse_unsigned(*length).value_or(0);
      }
      if (const auto wait = field(head, "retry-after")) {
        answer.retry_after =
            std::chrono::seconds(std::min(parse_unsigned(*wait).value_or(0), kDay));
      }
      if (field(head, "transfer-encoding")) chunked = true;
      if (field(head, "connection") == "close") last = true;
    }
    if (chunked) {
      answer.body = chunks();
    } else {
      take(size, answer.body);
    }
    if (last) close();
    return answer;
  } catch (const Broken&) {
    close();
    throw;
  }
}

}  // namespace dcmrank::traffic
