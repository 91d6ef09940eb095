#include "dcmrank/http/head.h"

#include <algorithm>
#include <cstdint>

#include <boost/asio/buffer.hpp>

namespace dcmrank::service {
namespace {

namespace http = boost::beast::http;
using boost::beast::iequals;

std::string_view view(boost::beast::string_view text) { return {text.data(), text.size()}; }

ApiError bad(const char* message) { return {400, "bad_request", message}; }

struct Framing {
  bool host = false;
  bool length = false;
  bool coding = false;
};

// The fields that say where the request ends and whom it is for: each at most once.
std::optional<ApiError> read_framing(const http::fields::value_type& field, RequestHead& head,
                                     Framing& framing) {
  const std::string_view value = view(field.value());
  if (field.name() == http::field::host) {
    if (framing.host) return bad("Host is repeated");
    framing.host = true;
    head.host = value;
  } else if (field.name() == http::field::content_length) {
    const bool digits = value.find_first_not_of("0123456789") == std::string_view::npos;
    if (framing.length || !digits || value.size() > 15) {
      return bad("Content-Length is malformed or repeated");
    }
    framing.length = true;
  } else if (field.name() == http::field::transfer_encoding) {
    if (framing.coding) return bad("Transfer-Encoding is repeated");
    framing.coding = true;
    if (!iequals(field.value(), "chunked")) {
      return ApiError{501, "not_implemented", "only the transfer encoding 'chunked' is supported"};
    }
  } else if (field.name() == http::field::expect) {
    if (!iequals(field.value(), "100-continue")) {
      return ApiError{417, "expectation_failed", "this expectation is not supported"};
    }
    head.expects_continue = true;
  }
  return std::nullopt;
}

void read_other(const http::fields::value_type& field, RequestHead& head) {
  const std::string_view value = view(field.value());
  if (field.name() == http::field::authorization) head.authorization = value;
  if (field.name() == http::field::content_type) head.content_type = value;
  if (field.name() == http::field::origin) head.origin = value;
  if (iequals(field.name_string(), "x-api-key")) head.api_key = value;
  if (iequals(field.name_string(), "sec-fetch-site")) head.fetch_site = value;
  if (iequals(field.name_string(), "x-request-id")) head.request_id = value;
}

std::optional<ApiError> read_target(std::string_view target, RequestHead& head) {
  const bool plain = std::all_of(target.begin(), target.end(),
                                 [](char c) { return c > ' ' && c < 0x7F && c != '#'; });
  if (!plain || !target.starts_with('/')) return bad("the target must be a path");
  const std::size_t mark = target.find('?');
  head.path = target.substr(0, mark);
  head.query = mark == std::string_view::npos ? std::string_view() : target.substr(mark + 1);
  return std::nullopt;
}

std::optional<ApiError> read_head(const RequestParser& parser, RequestHead& head) {
  const auto& message = parser.get();
  head = RequestHead();
  head.method = view(message.method_string());
  head.old = message.version() < 11;
  head.keep_alive = parser.keep_alive();
  if (auto error = read_target(view(message.target()), head)) return error;
  Framing framing;
  for (const auto& field : message) {
    if (auto error = read_framing(field, head, framing)) return error;
    read_other(field, head);
  }
  if (!head.old && !framing.host) return bad("Host is missing");
  if (head.old && framing.coding) return bad("HTTP/1.0 has no Transfer-Encoding");
  if (framing.length && framing.coding) {
    return bad("Content-Length and Transfer-Encoding exclude each other");
  }
  if (framing.length) head.content_length = parser.content_length().value_or(0);
  return std::nullopt;
}

}  // namespace

std::optional<ApiError> parse_head(std::string_view text, RequestParser& parser,
                                   RequestHead& head) {
  const bool folded =
      text.find("\r\n ") != std::string_view::npos || text.find("\r\n\t") != std::string_view::npos;
  if (folded) return bad("a line of the header is folded");
  parser.header_limit(static_cast<std::uint32_t>(text.size() + 1));
  parser.body_limit(boost::none);  // it is not known before the head is
  boost::system::error_code error;
  parser.put(boost::asio::buffer(text.data(), text.size()), error);
  if (error) return refusal_of(error);
  if (!parser.is_header_done()) return bad("the header is malformed");
  return read_head(parser, head);
}

ApiError refusal_of(const boost::system::error_code& error) {
  if (error == http::error::bad_version) {
    return {505, "bad_version", "only HTTP/1.1 and HTTP/1.0 are supported"};
  }
  if (error == http::error::body_limit) return {413, "body_too_large", "the body is too large"};
  return {400, "bad_request", "the request is malformed: " + error.message()};
}

}  // namespace dcmrank::service
