#pragma once

#include <optional>
#include <string_view>

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "dcmrank/http/message.h"

namespace dcmrank::service {

using RequestParser = boost::beast::http::request_parser<boost::beast::http::string_body>;

/// Reads the text of a head up to and with its empty line, and nothing of the body. Nothing where
/// `head` was filled; its views are into the parser. Anything that two readers could understand
/// differently is refused, where Beast itself does not: folded lines, a repeated length or host, a
/// length and chunks.
std::optional<ApiError> parse_head(std::string_view text, RequestParser& parser, RequestHead& head);

/// Whether a request that begins so asks for the head of an answer alone.
inline bool starts_with_head(std::string_view text) { return text.starts_with("HEAD "); }

/// Why Beast refuses a request.
ApiError refusal_of(const boost::system::error_code& error);

}  // namespace dcmrank::service
