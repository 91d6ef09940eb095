#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/ip/tcp.hpp>

namespace dcmrank::service {

/// "127.0.0.1:8080", "[::1]:0", "localhost:80". Throws InputError.
boost::asio::ip::tcp::endpoint resolve_address(const std::string& address);
std::string print_address(const boost::asio::ip::tcp::endpoint& endpoint);

/// The path of "unix:PATH"; nothing where it is another address. Throws InputError for no path.
std::optional<std::string> unix_path(const std::string& address);

/// Who may use a file, as chmod has it: "0660", "660". Nothing where it is no such number.
std::optional<unsigned> parse_mode(std::string_view text);

/// Whether only this machine can reach the address. Throws InputError.
bool is_loopback(const std::string& address);

}  // namespace dcmrank::service
