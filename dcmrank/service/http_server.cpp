#include "dcmrank/service/http_server.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include <fmt/format.h>
#include <netdb.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/service/answers.h"
#include "dcmrank/service/http_loop.h"

namespace dcmrank::service {
namespace {

struct FreeAddresses {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

Addresses resolve(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  std::string host = address.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  const auto port =
      colon == std::string::npos ? std::nullopt : parse_unsigned(address.substr(colon + 1));
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  if (!port || *port > 65535 || host.empty() ||
      getaddrinfo(host.c_str(), std::to_string(*port).c_str(), &hints, &list) != 0) {
    throw InputError(fmt::format("--listen is {}, not an address as 127.0.0.1:8080 or [::1]:8080",
                                 quote(address)));
  }
  return Addresses(list);
}

std::string to_text(const sockaddr_storage& address, socklen_t size) {
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  getnameinfo(reinterpret_cast<const sockaddr*>(&address), size, host.data(), host.size(),
              port.data(), port.size(), NI_NUMERICHOST | NI_NUMERICSERV);
  const std::string name = host.data();
  const bool v6 = name.find(':') != std::string::npos;
  return fmt::format("{}{}{}:{}", v6 ? "[" : "", name, v6 ? "]" : "", port.data());
}

void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

bool is_loopback(const std::string& address) {
  const Addresses list = resolve(address);
  sockaddr_storage first{};
  std::memcpy(&first, list->ai_addr, list->ai_addrlen);
  const std::string text = to_text(first, list->ai_addrlen);
  return text.starts_with("127.") || text.starts_with("[::1]");
}

HttpServer::HttpServer(const Limits& limits, Metrics& metrics)
    : limits_(limits), metrics_(&metrics) {}

HttpServer::~HttpServer() {
  stop();
  if (listener_ >= 0) ::close(listener_);
}

std::string HttpServer::listen(const std::string& address) {
  const Addresses list = resolve(address);
  listener_ = ::socket(list->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const int on = 1;
  setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(listener_, list->ai_addr, list->ai_addrlen) != 0 || ::listen(listener_, 1024) != 0) {
    throw InputError(fmt::format("--listen {}: {}", address,
                                 std::strerror(errno)));  // NOLINT(concurrency-mt-unsafe)
  }
  raise_descriptor_limit();
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  getsockname(listener_, reinterpret_cast<sockaddr*>(&bound), &size);
  return to_text(bound, size);
}

void HttpServer::start(std::size_t threads, const std::function<Handler()>& make_handler) {
  std::vector<HttpLoop*> all;
  for (std::size_t n = 0; n < threads; ++n) {
    loops_.push_back(std::make_unique<HttpLoop>(limits_, *metrics_, open_));
    all.push_back(loops_.back().get());
  }
  loops_.front()->accept_from(listener_, all);
  for (const auto& loop : loops_) loop->start(make_handler());
}

void HttpServer::stop() {
  for (const auto& loop : loops_) loop->stop();
  for (const auto& loop : loops_) loop->join();
}

}  // namespace dcmrank::service
