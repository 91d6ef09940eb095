#include "dcmrank/http/answer.h"

#include <array>
#include <charconv>
#include <ostream>  // which the next one uses

#include <boost/beast/http/status.hpp>

namespace dcmrank::service {
namespace {

void append_size(std::string& out, std::size_t value, int base = 10) {
  std::array<char, 24> digits{};
  char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), value, base).ptr;
  out.append(digits.data(), end);
}

std::string_view reason(int status) {
  namespace http = boost::beast::http;
  const auto text = http::obsolete_reason(http::int_to_status(static_cast<unsigned>(status)));
  return {text.data(), text.size()};
}

}  // namespace

void append_answer(std::string& out, const Response& response, const Sending& sending) {
  out += "HTTP/1.1 ";
  append_size(out, static_cast<std::size_t>(response.status));
  out += ' ';
  out += reason(response.status);
  out += "\r\n";
  out += sending.date;
  out += "Content-Type: ";
  out += response.content_type;
  out += "\r\n";
  out += "X-Request-Id: ";
  out += sending.request_id;
  out += "\r\n";
  out += response.extra;
  if (sending.close) out += "Connection: close\r\n";
  if (!sending.close && sending.old) out += "Connection: keep-alive\r\n";  // not its default
  if (response.more) {
    out += "Transfer-Encoding: chunked\r\n\r\n";
    return;
  }
  out += "Content-Length: ";
  append_size(out, response.body.size());
  out += "\r\n\r\n";
  if (!sending.no_body) out += response.body;
}

void append_piece(std::string& out, std::string_view piece) {
  append_size(out, piece.size(), 16);
  out += "\r\n";
  out += piece;
  out += "\r\n";
}

void append_last_piece(std::string& out) { out += "0\r\n\r\n"; }

}  // namespace dcmrank::service
