#include "dcmrank/http/request_reader.h"

#include <cctype>
#include <cstdint>
#include <utility>

namespace dcmrank::service {
namespace {

constexpr std::size_t kOfAHead = 4U << 10U;   // read at a time
constexpr std::size_t kOfABody = 64U << 10U;  // likewise
constexpr std::size_t kSmall = 16U << 10U;    // bodies that every connection may have

ApiError no_room() {
  return {503, "busy", "the bodies of other requests take up all the room; try again"};
}

// Beast looks for the end of a quoted extension beyond its line, and takes the chunk off the limit
// of the body each time it does so. Of the last chunk, which has size 0, the fields after it belong
// to the head.
bool has_whole_chunk_head(std::string_view rest) {
  constexpr std::size_t kLooksAt = 4;  // after a chunk: of fewer bytes Beast says nothing yet
  if (rest.size() < kLooksAt) return false;
  if (rest.starts_with("\r\n")) rest.remove_prefix(2);
  const std::size_t digit = rest.find_first_not_of('0');
  const bool last = digit == std::string_view::npos ||
                    std::isxdigit(static_cast<unsigned char>(rest[digit])) == 0;
  return rest.find(last ? "\r\n\r\n" : "\r\n") != std::string_view::npos;
}

}  // namespace

boost::asio::mutable_buffer RequestReader::room() {
  const std::size_t piece = in_body_ ? kOfABody : kOfAHead;
  if (buffer_.size() == 0 && buffer_.capacity() > piece) buffer_.shrink_to_fit();
  return buffer_.prepare(piece);
}

RequestReader::Found RequestReader::next(const BodyLimit& body_limit) {
  return in_body_ ? read_body() : read_head(body_limit);
}

// Empty lines before a request are skipped (RFC 9112, 2.2), but count as part of its head.
bool RequestReader::skip_empty_lines() {
  while (scanned_ == 0 && unread().starts_with("\r\n")) {
    buffer_.consume(2);
    skipped_ += 2;
  }
  return skipped_ <= limits_->header;
}

// What comes in chunks is not known beforehand: it takes its share block by block.
bool RequestReader::has_room_for(std::size_t body) { return body <= kSmall || share_.reach(body); }

RequestReader::Found RequestReader::read_head(const BodyLimit& body_limit) {
  const bool few = skip_empty_lines();
  const std::size_t end = unread().find("\r\n\r\n", scanned_);
  const bool whole = end != std::string_view::npos;
  const std::size_t size = whole ? end + 4 : buffer_.size();
  if (!few || size > limits_->header) {
    return refuse({431, "header_too_large", "the header of the request is too large"});
  }
  if (!whole) {
    scanned_ = size > 3 ? size - 3 : 0;
    return Found::kNothing;
  }
  parser_.emplace();
  if (auto wrong = parse_head(unread().substr(0, size), *parser_, head_)) {
    return refuse(std::move(*wrong));
  }
  buffer_.consume(size);
  try {
    const std::size_t most = body_limit(head_);
    if (head_.content_length > most) {
      return refuse({413, "body_too_large", "the body is too large"});
    }
    if (!has_room_for(head_.content_length)) return refuse(no_room());
    parser_->body_limit(most);
  } catch (const ApiError& refused) {
    return refuse(refused);
  }
  parser_->eager(true);
  in_body_ = !parser_->is_done();
  return in_body_ ? Found::kHead : Found::kRequest;
}

// What comes in chunks is given to Beast in pieces of one byte more than a head may have, so that a
// chunk's head that is too large is refused wherever the network cut it.
RequestReader::Found RequestReader::read_body() {
  const std::size_t piece = parser_->chunked() ? limits_->header + 1 : SIZE_MAX;
  while (buffer_.size() > 0) {
    const std::string_view given = unread().substr(0, piece);
    boost::system::error_code error;
    const std::size_t used =
        parser_->put(boost::asio::const_buffer(given.data(), given.size()), error);
    buffer_.consume(used);
    const std::size_t blocks = parser_->get().body().size() / kOfABody;
    if (!has_room_for(blocks * kOfABody)) return refuse(no_room());
    if (error == boost::beast::http::error::need_more) {
      const std::string_view rest = unread().substr(0, piece);
      if (rest.size() > given.size() - used) continue;  // there is more of it
      if (!has_whole_chunk_head(rest)) {
        if (rest.size() <= limits_->header) return Found::kNothing;
        return refuse({400, "bad_request", "the header of a chunk is too large"});
      }
      error = boost::beast::http::error::bad_chunk_extension;
    }
    if (error) return refuse(refusal_of(error));
    if (parser_->is_done()) return Found::kRequest;
  }
  return Found::kNothing;
}

bool RequestReader::asks_for_head() const {
  return head_.method == "HEAD" || (head_.method.empty() && starts_with_head(unread()));
}

RequestReader::Found RequestReader::refuse(ApiError error) {
  refusal_ = std::move(error);
  return Found::kRefusal;
}

void RequestReader::finish() {
  head_ = RequestHead();
  parser_.reset();
  share_.clear();
  in_body_ = false;
  scanned_ = 0;
  skipped_ = 0;
}

}  // namespace dcmrank::service
