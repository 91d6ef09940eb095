#include "dcmrank/http/address.h"

#include <cstdint>
#include <string_view>

#include <boost/asio/io_context.hpp>
#include <fmt/format.h>
#include <sys/un.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/http/server.h"

namespace dcmrank::service {

namespace asio = boost::asio;
using asio::ip::tcp;

tcp::endpoint resolve_address(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  std::string host = address.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  constexpr std::uint64_t kLargest = 65535;
  constexpr std::uint64_t kNone = kLargest + 1;
  const std::uint64_t port = colon == std::string::npos
                                 ? kNone
                                 : parse_unsigned(address.substr(colon + 1)).value_or(kNone);
  boost::system::error_code error = asio::error::host_not_found;
  asio::io_context context;
  tcp::resolver resolver(context);
  tcp::resolver::results_type found;
  if (port <= kLargest && !host.empty()) {
    found = resolver.resolve(host, std::to_string(port),
                             tcp::resolver::passive | tcp::resolver::numeric_service, error);
  }
  if (error || found.empty()) {
    throw InputError(
        fmt::format("--listen is {}, not an address such as 127.0.0.1:8080, [::1]:8080 or "
                    "unix:/run/dcmrank.sock",
                    quote(address)));
  }
  return found.begin()->endpoint();
}

std::string print_address(const tcp::endpoint& endpoint) {
  const std::string host = endpoint.address().to_string();
  return fmt::format("{}{}{}:{}", endpoint.address().is_v6() ? "[" : "", host,
                     endpoint.address().is_v6() ? "]" : "", endpoint.port());
}

std::optional<std::string> unix_path(const std::string& address) {
  constexpr std::string_view kUnix = "unix:";
  if (!address.starts_with(kUnix)) return std::nullopt;
  if (address.size() == kUnix.size()) {  // the kernel would choose a name that nobody knows
    throw InputError("--listen is 'unix:', without the path of a socket");
  }
  std::string path = address.substr(kUnix.size());
  constexpr std::size_t kMost = sizeof(sockaddr_un::sun_path) - 1;
  if (path.size() > kMost) {
    throw InputError(fmt::format("--listen {}: the path of a socket has at most {} bytes, not {}",
                                 address, kMost, path.size()));
  }
  return path;
}

std::optional<unsigned> parse_mode(std::string_view text) {
  if (text.starts_with('0')) text.remove_prefix(1);
  if (text.size() != 3 || text.find_first_not_of("01234567") != std::string_view::npos) {
    return std::nullopt;
  }
  unsigned mode = 0;
  for (const char digit : text) mode = mode * 8 + static_cast<unsigned>(digit - '0');
  return mode;
}

bool is_loopback(const std::string& address) {
  return unix_path(address) || resolve_address(address).address().is_loopback();
}

}  // namespace dcmrank::service
