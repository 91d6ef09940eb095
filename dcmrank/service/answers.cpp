#include "dcmrank/service/answers.h"

#include <array>
#include <charconv>
#include <cmath>

#include "dcmrank/service/http_server.h"

namespace dcmrank::service {
namespace {

void append_escaped(std::string& out, char c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  switch (c) {
    case '"':
      out += "\\\"";
      break;
    case '\\':
      out += "\\\\";
      break;
    case '\n':
      out += "\\n";
      break;
    default:
      out += "\\u00";
      out += kDigits[static_cast<unsigned char>(c) >> 4U];
      out += kDigits[static_cast<unsigned char>(c) & 15U];
  }
}

template <class T>
void append_digits(std::string& out, T value) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  out.append(digits.data(), end);
}

}  // namespace

void append_text(std::string& out, std::string_view text) {
  out += '"';
  std::size_t plain = 0;
  for (std::size_t n = 0; n < text.size(); ++n) {
    const auto c = static_cast<unsigned char>(text[n]);
    if (c >= ' ' && c != '"' && c != '\\') continue;
    out += text.substr(plain, n - plain);
    append_escaped(out, text[n]);
    plain = n + 1;
  }
  out += text.substr(plain);
  out += '"';
}

void append_number(std::string& out, double value) {
  append_digits(out, std::isfinite(value) ? value : 0);
}

void append_number(std::string& out, std::uint64_t value) { append_digits(out, value); }

std::string error_body(const ApiError& error) {
  std::string out = R"({"error":{"code":)";
  append_text(out, error.code);
  out += R"(,"message":)";
  append_text(out, error.message);
  if (!error.field.empty()) {
    out += R"(,"field":)";
    append_text(out, error.field);
  }
  return out += "}}";
}

Response error_response(const ApiError& error) {
  Response response;
  response.status = error.status;
  response.body = error_body(error);
  if (error.status == 401) response.extra = "WWW-Authenticate: Bearer\r\n";
  if (error.status == 405 && !error.allow.empty())
    response.extra = "Allow: " + error.allow + "\r\n";
  if (error.status == 429 || error.status == 503) response.extra = "Retry-After: 1\r\n";
  return response;
}

}  // namespace dcmrank::service
