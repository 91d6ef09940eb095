#include "dcmrank/service/http_message.h"

#include <algorithm>
#include <array>
#include <utility>

namespace dcmrank::service {
namespace {

using std::string_view;

ApiError bad(const char* message) { return {400, "bad_request", message}; }

// RFC 9110, 5.6.2.
bool is_token(char c) {
  if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) return true;
  constexpr string_view kOthers = "!#$%&'*+-.^_`|~";
  return kOthers.find(c) != string_view::npos;
}

bool is_token(string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return is_token(c); });
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same(string_view a, string_view lower_case) {
  return a.size() == lower_case.size() && std::equal(a.begin(), a.end(), lower_case.begin(),
                                                     [](char x, char y) { return lower(x) == y; });
}

string_view trim(string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

bool has_option(string_view list, string_view option) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (same(trim(list.substr(0, comma)), option)) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

std::optional<std::size_t> parse_length(string_view text) {
  if (text.empty() || text.size() > 15) return std::nullopt;
  std::size_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + static_cast<std::size_t>(c - '0');
  }
  return value;
}

struct Framing {
  bool host = false;
  bool transfer = false;
};

std::optional<ApiError> request_line(string_view line, RequestHead& head) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == string_view::npos || first == last) return bad("the request line is malformed");
  head.method = line.substr(0, first);
  const string_view target = line.substr(first + 1, last - first - 1);
  const string_view version = line.substr(last + 1);
  if (!is_token(head.method)) return bad("the method is malformed");
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    if (version.starts_with("HTTP/") && version.size() == 8) {
      return ApiError{505, "bad_version", "only HTTP/1.1 and HTTP/1.0 are spoken here"};
    }
    return bad("the request line is malformed");
  }
  head.old = version == "HTTP/1.0";
  head.keep_alive = !head.old;
  const bool plain = std::all_of(target.begin(), target.end(),
                                 [](char c) { return c > ' ' && c < 0x7F && c != '#'; });
  if (!plain || !target.starts_with('/')) return bad("the target must be a path");
  const std::size_t mark = target.find('?');
  head.path = target.substr(0, mark);
  head.query = mark == string_view::npos ? string_view() : target.substr(mark + 1);
  return std::nullopt;
}

std::optional<ApiError> framing_field(string_view name, string_view value, RequestHead& head,
                                      Framing& framing) {
  if (same(name, "content-length")) {
    const auto length = parse_length(value);
    if (!length || head.has_length) return bad("Content-Length is malformed or repeated");
    head.content_length = *length;
    head.has_length = true;
  } else if (same(name, "transfer-encoding")) {
    if (framing.transfer) return bad("Transfer-Encoding is repeated");
    framing.transfer = true;
    if (!same(value, "chunked")) {
      return ApiError{501, "not_implemented", "only the transfer encoding 'chunked' is known here"};
    }
    head.chunked = true;
  } else if (same(name, "connection")) {
    if (has_option(value, "close")) head.keep_alive = false;
    if (head.old && has_option(value, "keep-alive")) head.keep_alive = true;
  } else if (same(name, "host")) {
    if (framing.host) return bad("Host is repeated");
    framing.host = true;
    head.host = value;
  }
  return std::nullopt;
}

std::optional<ApiError> field(string_view line, RequestHead& head, Framing& framing) {
  const std::size_t colon = line.find(':');
  if (colon == string_view::npos || !is_token(line.substr(0, colon))) {
    return bad("a header line is malformed");
  }
  const string_view name = line.substr(0, colon);
  const string_view value = trim(line.substr(colon + 1));
  const auto control = [](char c) { return (c >= 0 && c < ' ' && c != '\t') || c == 0x7F; };
  if (std::any_of(value.begin(), value.end(), control)) {
    return bad("a header has control characters");
  }
  if (same(name, "authorization")) head.authorization = value;
  if (same(name, "x-api-key")) head.api_key = value;
  if (same(name, "content-type")) head.content_type = value;
  if (same(name, "origin")) head.origin = value;
  if (same(name, "sec-fetch-site")) head.fetch_site = value;
  if (same(name, "expect")) {
    if (!same(value, "100-continue")) {
      return ApiError{417, "expectation_failed", "this expectation is not known here"};
    }
    head.expects_continue = true;
  }
  return framing_field(name, value, head, framing);
}

}  // namespace

std::optional<ApiError> parse_head(string_view text, RequestHead& head) {
  head = RequestHead();
  Framing framing;
  bool first = true;
  while (true) {
    const std::size_t end = text.find("\r\n");
    if (end == string_view::npos) return bad("the head is malformed");
    const string_view line = text.substr(0, end);
    text.remove_prefix(end + 2);
    if (line.find_first_of(string_view("\r\n\0", 3)) != string_view::npos) {
      return bad("a line of the head has a stray CR, LF or NUL");
    }
    if (first) {
      if (auto error = request_line(line, head)) return error;
      first = false;
      continue;
    }
    if (line.empty()) break;
    if (auto error = field(line, head, framing)) return error;
  }
  if (!framing.host && !head.old) return bad("Host is missing");
  if (head.chunked && (head.has_length || head.old)) {
    return bad("Transfer-Encoding stands where it may not");
  }
  return std::nullopt;
}

ChunkDecoder::Status ChunkDecoder::line(string_view text) {
  if (state_ == State::kTrailer) {
    if (text.empty()) return Status::kDone;
    return ++trailers_ > 32 ? Status::kBad : Status::kMore;
  }
  if (state_ == State::kDataEnd) {
    state_ = State::kSize;
    return text.empty() ? Status::kMore : Status::kBad;
  }
  const string_view digits = text.substr(0, text.find(';'));
  if (digits.empty() || digits.size() > 12) return Status::kBad;
  left_ = 0;
  for (const char c : digits) {
    const char l = lower(c);
    const bool decimal = l >= '0' && l <= '9';
    if (!decimal && !(l >= 'a' && l <= 'f')) return Status::kBad;
    left_ = left_ * 16 + static_cast<std::size_t>(decimal ? l - '0' : l - 'a' + 10);
  }
  state_ = left_ == 0 ? State::kTrailer : State::kData;
  return Status::kMore;
}

ChunkDecoder::Status ChunkDecoder::feed(string_view text, std::size_t& taken, std::string& body,
                                        std::size_t most) {
  constexpr std::size_t kLongestLine = 256;
  taken = 0;
  while (true) {
    if (state_ == State::kData) {
      const std::size_t part = std::min(left_, text.size() - taken);
      if (body.size() + left_ > most) return Status::kTooLarge;
      body.append(text.substr(taken, part));
      taken += part;
      left_ -= part;
      if (left_ > 0) return Status::kMore;
      state_ = State::kDataEnd;
    }
    const string_view rest = text.substr(taken);
    const std::size_t end = rest.find("\r\n");
    if (end == string_view::npos) return rest.size() > kLongestLine ? Status::kBad : Status::kMore;
    if (end > kLongestLine) return Status::kBad;
    taken += end + 2;
    if (rest.substr(0, end).find('\n') != string_view::npos) return Status::kBad;
    if (const Status status = line(rest.substr(0, end)); status != Status::kMore) return status;
  }
}

std::optional<std::string> percent_decode(string_view text) {
  std::string result;
  for (std::size_t n = 0; n < text.size(); ++n) {
    if (text[n] != '%') {
      result.push_back(text[n]);
      continue;
    }
    unsigned value = 0;
    for (int digit = 0; digit < 2; ++digit) {
      const char l = ++n < text.size() ? lower(text[n]) : '?';
      const bool decimal = l >= '0' && l <= '9';
      if (!decimal && !(l >= 'a' && l <= 'f')) return std::nullopt;
      value = value * 16 + static_cast<unsigned>(decimal ? l - '0' : l - 'a' + 10);
    }
    result.push_back(static_cast<char>(value));
  }
  return result;
}

string_view reason_phrase(int status) {
  constexpr std::array<std::pair<int, string_view>, 17> kReasons{{{200, "OK"},
                                                                  {201, "Created"},
                                                                  {204, "No Content"},
                                                                  {400, "Bad Request"},
                                                                  {401, "Unauthorized"},
                                                                  {403, "Forbidden"},
                                                                  {404, "Not Found"},
                                                                  {405, "Method Not Allowed"},
                                                                  {408, "Request Timeout"},
                                                                  {409, "Conflict"},
                                                                  {411, "Length Required"},
                                                                  {413, "Content Too Large"},
                                                                  {417, "Expectation Failed"},
                                                                  {431, "Header Fields Too Large"},
                                                                  {501, "Not Implemented"},
                                                                  {503, "Service Unavailable"},
                                                                  {505, "Version Not Supported"}}};
  for (const auto& [code, phrase] : kReasons) {
    if (code == status) return phrase;
  }
  return "Error";
}

}  // namespace dcmrank::service
