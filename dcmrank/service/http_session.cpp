#include "dcmrank/service/http_session.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <type_traits>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/rfc7230.hpp>

#include "dcmrank/service/answers.h"

namespace dcmrank::service {
namespace {

namespace http = boost::beast::http;

constexpr std::size_t kSmallPiece = 4U << 10U;
constexpr std::size_t kLargePiece = 64U << 10U;
constexpr int kTurn = 32;                         // requests before others get their turn
constexpr std::size_t kMostUnsent = 256U << 10U;  // then the caller must take answers first
constexpr std::int64_t kLingerTime = 2000;        // milliseconds

void append_size(std::string& out, std::size_t value, int base = 10) {
  std::array<char, 24> digits{};
  char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), value, base).ptr;
  out.append(digits.data(), end);
}

std::string_view view(boost::beast::string_view text) { return {text.data(), text.size()}; }

ApiError bad(const char* message) { return {400, "bad_request", message}; }

bool is_chunked(std::string_view coding) {
  return boost::beast::iequals({coding.data(), coding.size()}, "chunked");
}

std::optional<ApiError> read_field(const http::fields::value_type& field, RequestHead& head,
                                   std::size_t& codings) {
  const std::string_view value = view(field.value());
  switch (field.name()) {
    case http::field::host:
      if (head.has_host) return bad("Host is repeated");
      head.has_host = true;
      head.host = value;
      break;
    case http::field::content_length: {
      const bool digits = value.find_first_not_of("0123456789") == std::string_view::npos;
      if (head.has_length || !digits || value.size() > 15) {
        return bad("Content-Length is malformed or repeated");
      }
      head.has_length = true;
      break;
    }
    case http::field::transfer_encoding:
      if (++codings > 1) return bad("Transfer-Encoding is repeated");
      if (!is_chunked(value)) {
        return ApiError{501, "not_implemented",
                        "only the transfer encoding 'chunked' is known here"};
      }
      break;
    case http::field::expect:
      if (!boost::beast::iequals(field.value(), "100-continue")) {
        return ApiError{417, "expectation_failed", "this expectation is not known here"};
      }
      head.expects_continue = true;
      break;
    case http::field::authorization:
      head.authorization = value;
      break;
    case http::field::content_type:
      head.content_type = value;
      break;
    case http::field::origin:
      head.origin = value;
      break;
    default:
      if (boost::beast::iequals(field.name_string(), "x-api-key")) head.api_key = value;
      if (boost::beast::iequals(field.name_string(), "sec-fetch-site")) head.fetch_site = value;
      break;
  }
  return std::nullopt;
}

}  // namespace

std::optional<ApiError> read_head(const RequestParser& parser, RequestHead& head) {
  head = RequestHead();
  const auto& message = parser.get();
  head.method = view(message.method_string());
  head.old = message.version() < 11;
  head.keep_alive = parser.keep_alive();
  head.chunked = parser.chunked();
  const std::string_view target = view(message.target());
  const bool plain = std::all_of(target.begin(), target.end(),
                                 [](char c) { return c > ' ' && c < 0x7F && c != '#'; });
  if (!plain || !target.starts_with('/')) return bad("the target must be a path");
  const std::size_t mark = target.find('?');
  head.path = target.substr(0, mark);
  head.query = mark == std::string_view::npos ? std::string_view() : target.substr(mark + 1);
  std::size_t codings = 0;
  for (const auto& field : message) {
    if (auto error = read_field(field, head, codings)) return error;
  }
  if (!head.old && !head.has_host) return bad("Host is missing");
  if (head.old && codings > 0) return bad("HTTP/1.0 has no Transfer-Encoding");
  if (codings > 0 && head.has_length) {
    return bad("Content-Length and Transfer-Encoding exclude each other");
  }
  if (head.has_length) head.content_length = parser.content_length().value_or(0);
  return std::nullopt;
}

bool has_folded_line(std::string_view head) {
  return head.find("\r\n ") != std::string_view::npos ||
         head.find("\r\n\t") != std::string_view::npos;
}

ApiError refusal_of(const boost::system::error_code& error) {
  if (error == http::error::bad_version) {
    return {505, "bad_version", "only HTTP/1.1 and HTTP/1.0 are spoken here"};
  }
  if (error == http::error::body_limit) return {413, "body_too_large", "the body is too large"};
  if (error == http::error::header_limit) {
    return {431, "header_too_large", "the head of the request is too large"};
  }
  return {400, "bad_request", "the request is malformed: " + error.message()};
}

template <class Stream>
Socket& HttpSession<Stream>::socket() {
  if constexpr (std::is_same_v<Stream, Socket>) {
    return stream_;
  } else {
    return stream_.next_layer();
  }
}

template <class Stream>
void HttpSession<Stream>::start() {
  deadline = HttpLoop::now() + loop_->limits().header_time;
  if constexpr (std::is_same_v<Stream, TlsStream>) {
    state_ = State::kHandshake;
    busy_ = true;
    stream_.async_handshake(TlsStream::server,
                            [self = this->shared_from_this()](const Error& error) {
                              self->busy_ = false;
                              if (error || self->state_ == State::kClosed) {
                                if (error) self->loop_->metrics().refused("tls");
                                return self->close();
                              }
                              self->state_ = State::kHead;
                              self->go_on();
                            });
  } else {
    go_on();
  }
}

// Does all that can be done without waiting, then begins the one operation to wait for.
template <class Stream>
void HttpSession<Stream>::go_on() {
  if (busy_ || state_ == State::kClosed) return;
  for (int turn = 0; turn < kTurn && !close_after_ && out_.size() < kMostUnsent; ++turn) {
    if (!step()) break;
  }
  if (out_.empty() && state_ == State::kStreaming) pump();
  if (state_ == State::kClosed) return;
  if (!out_.empty()) return write();
  if (close_after_) return linger();
  if (state_ == State::kHead || state_ == State::kBody) read();
}

template <class Stream>
bool HttpSession<Stream>::step() {
  if (state_ == State::kHead) return head();
  return state_ == State::kBody && body();
}

// Empty lines before a request are skipped (RFC 9112, 2.2), but count as part of its head.
template <class Stream>
bool HttpSession<Stream>::skip_empty_lines() {
  while (scanned_ == 0 && unread().starts_with("\r\n")) {
    buffer_.consume(2);
    skipped_ += 2;
  }
  return skipped_ <= loop_->limits().header;
}

template <class Stream>
bool HttpSession<Stream>::head() {
  const bool few = skip_empty_lines();
  const std::string_view text = unread();
  const std::size_t end = text.find("\r\n\r\n", scanned_);
  const std::size_t size = end == std::string_view::npos ? text.size() : end + 4;
  if (!few || size > loop_->limits().header) {
    refuse({431, "header_too_large", "the head of the request is too large"});
    return true;
  }
  if (end == std::string_view::npos) {
    scanned_ = text.size() > 3 ? text.size() - 3 : 0;
    return false;
  }
  const std::string_view lines = text.substr(0, size);
  parser_.emplace();
  parser_->header_limit(static_cast<std::uint32_t>(size + 1));
  parser_->body_limit(boost::none);
  Error error;
  if (!has_folded_line(lines)) parser_->put(boost::asio::buffer(lines.data(), lines.size()), error);
  if (error || !parser_->is_header_done()) {
    refuse(error ? refusal_of(error) : bad("the head is malformed"));
    return true;
  }
  std::size_t most = 0;
  if (auto wrong = read_head(*parser_, head_)) {
    refuse(*wrong);
    return true;
  }
  keep_alive_ = head_.keep_alive && !loop_->stopping();
  try {
    most = loop_->handler().body_limit(head_);
  } catch (const ApiError& refused) {
    refuse(refused);
    return true;
  }
  if (head_.content_length > most) {
    refuse({413, "body_too_large", "the body is too large"});
    return true;
  }
  buffer_.consume(size);
  scanned_ = 0;
  parser_->body_limit(most);
  parser_->eager(true);
  if (parser_->is_done()) {
    dispatch();
    return true;
  }
  state_ = State::kBody;
  deadline = HttpLoop::now() + loop_->limits().body_time;
  if (head_.expects_continue && buffer_.size() == 0) out_ += "HTTP/1.1 100 Continue\r\n\r\n";
  return true;
}

template <class Stream>
bool HttpSession<Stream>::body() {
  if (buffer_.size() == 0) return false;
  Error error;
  const std::size_t used = parser_->put(buffer_.cdata(), error);
  buffer_.consume(used);
  if (error == http::error::need_more) {
    if (buffer_.size() <= loop_->limits().header) return false;
    refuse(bad("a chunk's head is too large"));
  } else if (error) {
    refuse(refusal_of(error));
  } else if (parser_->is_done()) {
    dispatch();
  } else {
    return used > 0;
  }
  return true;
}

template <class Stream>
void HttpSession<Stream>::dispatch() {
  response_ = Response();
  state_ = State::kWaiting;
  deadline = 0;
  const Request request{head_, parser_->get().body()};
  if (loop_->handler().handle(request, response_, Ticket(loop_, id_))) respond(response_);
}

template <class Stream>
void HttpSession<Stream>::answer(Response response) {
  if (state_ != State::kWaiting) return;
  respond(response);
  go_on();
}

// The request is over; the next one may be there already.
template <class Stream>
void HttpSession<Stream>::expect_next() {
  state_ = State::kHead;
  skipped_ = 0;
  scanned_ = 0;
  begun_ = buffer_.size() > 0;
  const Limits& limits = loop_->limits();
  deadline = HttpLoop::now() + (begun_ ? limits.header_time : limits.idle_time);
}

template <class Stream>
void HttpSession<Stream>::respond(Response& response) {
  const bool no_body = head_.method == "HEAD";
  if (response.more && head_.old) {  // it could not tell a part from the whole
    return refuse({505, "bad_version", "an answer in pieces needs HTTP/1.1"});
  }
  out_ += "HTTP/1.1 ";
  append_size(out_, static_cast<std::size_t>(response.status));
  out_ += ' ';
  out_ += view(http::obsolete_reason(http::int_to_status(static_cast<unsigned>(response.status))));
  out_ += "\r\n";
  out_ += loop_->date();
  out_ += "Content-Type: ";
  out_ += response.content_type;
  out_ += "\r\n";
  out_ += response.extra;
  const bool close = !keep_alive_ || loop_->stopping();
  if (close) out_ += "Connection: close\r\n";
  if (!close && head_.old) out_ += "Connection: keep-alive\r\n";  // not its default
  keep_alive_ = !close;
  if (response.more) {
    out_ += "Transfer-Encoding: chunked\r\n\r\n";
    if (!no_body) {
      more_ = std::move(response.more);
      state_ = State::kStreaming;
      deadline = HttpLoop::now() + loop_->limits().answer_time;
      return;
    }
  } else {
    out_ += "Content-Length: ";
    append_size(out_, response.body.size());
    out_ += "\r\n\r\n";
    if (!no_body) out_ += response.body;
  }
  close_after_ = close;
  head_ = RequestHead();
  parser_.reset();
  expect_next();
}

// Answers and closes: what follows on the connection cannot be understood any more.
template <class Stream>
void HttpSession<Stream>::refuse(const ApiError& error) {
  loop_->metrics().refused(error.code);
  keep_alive_ = false;
  const bool no_body = head_.method == "HEAD";
  head_ = RequestHead();
  if (no_body) head_.method = "HEAD";
  Response response = error_response(error);
  respond(response);
}

// Gets the next piece of an answer that comes in pieces.
template <class Stream>
void HttpSession<Stream>::pump() {
  std::string piece;
  bool more = true;
  while (more && piece.empty()) {
    try {
      more = more_(piece);
    } catch (const std::exception&) {
      // Too late for a status: without its last chunk the caller knows that the answer is not
      // whole.
      loop_->metrics().refused("cut_short");
      return close();
    }
  }
  if (!piece.empty()) {
    append_size(out_, piece.size(), 16);
    out_ += "\r\n";
    out_ += piece;
    out_ += "\r\n";
  }
  if (more) return;
  out_ += "0\r\n\r\n";
  more_ = nullptr;
  close_after_ = !keep_alive_ || loop_->stopping();
  head_ = RequestHead();
  parser_.reset();
  expect_next();
}

template <class Stream>
void HttpSession<Stream>::read() {
  busy_ = true;
  const std::size_t piece = state_ == State::kBody ? kLargePiece : kSmallPiece;
  if (buffer_.size() == 0 && buffer_.capacity() > piece) buffer_.shrink_to_fit();
  stream_.async_read_some(buffer_.prepare(piece),
                          [self = this->shared_from_this()](const Error& error, std::size_t size) {
                            self->busy_ = false;
                            self->received(error, size);
                          });
}

template <class Stream>
void HttpSession<Stream>::received(const Error& error, std::size_t size) {
  if (state_ == State::kClosed) return;
  if (late_ && state_ != State::kLingering) {
    late_ = false;
    refuse({408, "timeout", "the request took too long to arrive"});
    return go_on();
  }
  if (error) return close();
  if (state_ == State::kLingering) {  // nobody reads it
    return read();
  }
  buffer_.commit(size);
  if (!begun_) {
    begun_ = true;
    deadline = HttpLoop::now() + loop_->limits().header_time;
  }
  go_on();
}

template <class Stream>
void HttpSession<Stream>::write() {
  busy_ = true;
  const std::int64_t until = HttpLoop::now() + loop_->limits().answer_time;
  if (state_ != State::kBody) deadline = until;
  stream_.async_write_some(
      boost::asio::buffer(out_.data() + sent_, out_.size() - sent_),
      [self = this->shared_from_this()](const Error& error, std::size_t size) {
        self->busy_ = false;
        if (self->state_ == State::kClosed) return;
        if (error) return self->close();
        self->sent_ += size;
        if (self->sent_ < self->out_.size()) return self->write();
        self->out_.clear();
        self->sent_ = 0;
        if (self->out_.capacity() > 4 * kLargePiece) self->out_.shrink_to_fit();
        if (self->state_ == State::kHead) {
          const Limits& limits = self->loop_->limits();
          self->deadline = HttpLoop::now() + (self->begun_ ? limits.header_time : limits.idle_time);
        }
        if (self->state_ == State::kWaiting) self->deadline = 0;
        self->go_on();
      });
}

// Closes so that the answer arrives even where the caller is still sending: a plain close would
// throw away what it has not read yet.
template <class Stream>
void HttpSession<Stream>::linger() {
  state_ = State::kLingering;
  deadline = HttpLoop::now() + kLingerTime;
  buffer_.consume(buffer_.size());
  if constexpr (std::is_same_v<Stream, TlsStream>) {
    busy_ = true;
    stream_.async_shutdown([self = this->shared_from_this()](const Error&) { self->close(); });
  } else {
    Error error;
    socket().shutdown(Socket::shutdown_send, error);
    if (error) return close();
    read();
  }
}

template <class Stream>
void HttpSession<Stream>::late() {
  const bool asks = state_ == State::kBody || (state_ == State::kHead && begun_);
  if (!asks || !out_.empty() || late_) return close();
  late_ = true;
  deadline = HttpLoop::now() + loop_->limits().answer_time;
  Error error;
  socket().cancel(error);
}

template <class Stream>
void HttpSession<Stream>::stop() {
  keep_alive_ = false;
  const bool quiet = state_ == State::kHandshake || (state_ == State::kHead && !begun_);
  if (quiet && out_.empty()) close();
}

template <class Stream>
void HttpSession<Stream>::close() {
  if (state_ == State::kClosed) return;
  state_ = State::kClosed;
  more_ = nullptr;
  Error error;
  socket().close(error);
  loop_->remove(id_);
}

template class HttpSession<Socket>;
template class HttpSession<TlsStream>;

}  // namespace dcmrank::service
