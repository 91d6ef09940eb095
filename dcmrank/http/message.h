#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace dcmrank::service {

/// A refusal, as the caller sees it: a status, and {"error":{"code","message","field"}}.
struct ApiError {
  int status = 400;
  std::string code;
  std::string message;
  std::string field{};
  std::string allow{};  // with 405: the methods that the path has

  // For the log, where the handler knows it already.
  const char* call = "";
  std::string caller{};
};

/// The head of a request. Views are into what its parser holds.
struct RequestHead {
  std::string_view method;
  std::string_view path;   // of the target, still percent-encoded
  std::string_view query;  // of the target, after the '?'
  std::string_view authorization;
  std::string_view api_key;
  std::string_view content_type;
  std::string_view host;
  std::string_view origin;
  std::string_view fetch_site;  // Sec-Fetch-Site, by browsers
  std::string_view
      request_id;  // X-Request-Id, by the caller or a proxy; ours where that is no good
  std::size_t content_length = 0;
  bool old = false;  // HTTP/1.0
  bool keep_alive = true;
  bool expects_continue = false;
};

/// "%2F" -> "/"; nothing where a '%' is not followed by two hexadecimal digits.
std::optional<std::string> percent_decode(std::string_view text);

struct Request {
  RequestHead head;
  std::string_view body;
};

/// An answer. `more`, where it is set, is asked for further pieces of the body whenever the caller
/// has taken the former ones: it appends to its argument and returns whether there is more.
struct Response {
  int status = 200;
  std::string_view content_type = "application/json";
  std::string body;
  std::string extra;  // header lines, each with its CRLF
  std::function<bool(std::string&)> more;

  // For the log.
  const char* call = "";
  std::string caller{};
  std::string problem{};
};

/// An error as an answer: {"error":{...}}, and the header lines that go with its status.
std::string error_body(const ApiError& error);
Response error_response(const ApiError& error);

}  // namespace dcmrank::service
