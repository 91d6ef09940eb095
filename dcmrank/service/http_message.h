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
};

/// The head of a request (RFC 9112). Views are into the text that was parsed.
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
  std::size_t content_length = 0;
  bool has_length = false;
  bool chunked = false;
  bool old = false;  // HTTP/1.0
  bool keep_alive = true;
  bool expects_continue = false;
};

/// Parses a head up to and with its empty line. Strict: anything that two readers could understand
/// differently (both a length and chunks, two lengths, folded lines, a bare LF, a blank before the
/// colon) is refused. Nothing where `head` was filled.
std::optional<ApiError> parse_head(std::string_view text, RequestHead& head);

/// Decodes a chunked body as it arrives. `feed` consumes from the front of `text`, and returns how
/// much it took; it appends to `body`.
class ChunkDecoder {
 public:
  enum class Status { kMore, kDone, kBad, kTooLarge };
  Status feed(std::string_view text, std::size_t& taken, std::string& body, std::size_t most);

 private:
  enum class State { kSize, kData, kDataEnd, kTrailer };
  Status line(std::string_view text);
  State state_ = State::kSize;
  std::size_t left_ = 0;
  std::size_t trailers_ = 0;
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
  std::string_view extra;  // header lines, each with its CRLF
  std::function<bool(std::string&)> more;
};

std::string_view reason_phrase(int status);

}  // namespace dcmrank::service
