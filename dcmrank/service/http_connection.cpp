// How one connection goes on: reads, understands, answers, writes.
#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <utility>

#include <sys/socket.h>

#include "dcmrank/service/http_loop.h"

namespace dcmrank::service {
namespace {

using State = Connection::State;

constexpr std::size_t kPiece = 64U << 10U;
constexpr int kTurn = 32;                         // requests before others get their turn
constexpr std::size_t kMostUnsent = 256U << 10U;  // then the caller must take answers first
constexpr std::int64_t kLingerTime = 2000;        // milliseconds

void append_count(std::string& out, std::size_t value, int base = 10) {
  std::array<char, 24> digits{};
  char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), value, base).ptr;
  out.append(digits.data(), end);
}

}  // namespace

// Does all that can be done without waiting. The connection may be gone afterwards.
void HttpLoop::drive(Connection& connection) {
  for (int turn = 0; turn < kTurn; ++turn) {
    const bool moved = advance(connection);
    if (connection.out.size() - connection.sent > kMostUnsent && !flush(connection)) return;
    if (moved && connection.out.size() - connection.sent <= kMostUnsent) continue;
    // Nothing more to understand: what is ready goes out in one piece, then the rest comes in.
    if (!flush(connection)) return;
    if (connection.out.empty() && pump(connection)) continue;
    if (!connection.out.empty()) return;  // goes on when the caller takes some
    if (!connection.readable) return;
    if (connection.state == State::kWaiting || connection.state == State::kStreaming) {
      if (!connection.ended && connection.in.size() - connection.used > limits_.header) return;
    }
    if (!receive(connection)) return;
  }
  ready_.push_back(connection.id);
}

// Whether something came in; drops a connection that has ended with nothing left to answer.
bool HttpLoop::receive(Connection& connection) {
  if (connection.used > 0) {
    connection.in.erase(0, connection.used);
    connection.used = 0;
  }
  const std::size_t had = connection.in.size();
  const ssize_t got = ::recv(connection.fd, received_.data(), received_.size(), 0);
  if (got > 0) {
    const auto size = static_cast<std::size_t>(got);
    if (size < received_.size()) connection.readable = false;
    if (connection.state != State::kLingering) connection.in.append(received_.data(), size);
    if (connection.state == State::kHead && had == 0) {
      connection.deadline = now_ + limits_.header_time;
    }
    return true;
  }
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
    connection.readable = errno == EINTR;
    return connection.readable;
  }
  connection.readable = false;
  connection.ended = true;
  // A caller that only closed its own side still gets the answers it waits for.
  const bool answers =
      got == 0 && (connection.state == State::kWaiting || connection.state == State::kStreaming);
  if (!answers) drop(connection);
  return false;
}

// Whether a step was made.
bool HttpLoop::advance(Connection& connection) {
  if (connection.close_after) return false;
  switch (connection.state) {
    case State::kHead:
      return read_head(connection);
    case State::kBody:
      return read_body(connection);
    case State::kChunks:
      return read_chunks(connection);
    default:
      return false;
  }
}

bool HttpLoop::read_head(Connection& connection) {
  // Empty lines before a request are skipped (RFC 9112, 2.2).
  while (std::string_view(connection.in).substr(connection.used).starts_with("\r\n")) {
    connection.used += 2;
  }
  const std::string_view text = std::string_view(connection.in).substr(connection.used);
  if (text.empty()) return false;
  const std::size_t end = text.find("\r\n\r\n", std::min(connection.scanned, text.size()));
  const std::size_t size = end == std::string_view::npos ? text.size() : end + 4;
  if (size > limits_.header) {
    refuse(connection, {431, "header_too_large", "the head of the request is too large"});
    return true;
  }
  if (end == std::string_view::npos) {
    connection.scanned = text.size() > 3 ? text.size() - 3 : 0;
    return false;
  }
  connection.scanned = 0;
  RequestHead& head = connection.parsed;
  if (const auto error = parse_head(text.substr(0, size), head)) {
    refuse(connection, *error);
    return true;
  }
  connection.keep_alive = head.keep_alive && !stopping_;
  try {
    connection.body_limit = handler_.body_limit(head);
  } catch (const ApiError& error) {
    refuse(connection, error);
    return true;
  }
  if (head.content_length > connection.body_limit) {
    refuse(connection, {413, "body_too_large", "the body is too large"});
    return true;
  }
  if (!head.chunked && text.size() - size >= head.content_length) {
    connection.used += size + head.content_length;
    dispatch(connection, head, text.substr(size, head.content_length));
    return true;
  }
  // The body is not all there: the head must outlive the buffer.
  connection.head.assign(text.substr(0, size));
  parse_head(connection.head, head);
  connection.used += size;
  connection.deadline = now_ + limits_.body_time;
  connection.state = head.chunked ? State::kChunks : State::kBody;
  connection.chunks = ChunkDecoder();
  connection.chunk_body.clear();
  if (head.expects_continue && text.size() == size) {
    connection.out += "HTTP/1.1 100 Continue\r\n\r\n";
  }
  return true;
}

bool HttpLoop::read_body(Connection& connection) {
  const std::size_t length = connection.parsed.content_length;
  const std::string_view text = std::string_view(connection.in).substr(connection.used);
  if (text.size() < length) return false;
  connection.state = State::kHead;
  connection.used += length;
  dispatch(connection, connection.parsed, text.substr(0, length));
  return true;
}

bool HttpLoop::read_chunks(Connection& connection) {
  std::size_t taken = 0;
  const std::string_view text = std::string_view(connection.in).substr(connection.used);
  const auto status =
      connection.chunks.feed(text, taken, connection.chunk_body, connection.body_limit);
  connection.used += taken;
  switch (status) {
    case ChunkDecoder::Status::kMore:
      return false;
    case ChunkDecoder::Status::kBad:
      refuse(connection, {400, "bad_request", "the chunks of the body are malformed"});
      return true;
    case ChunkDecoder::Status::kTooLarge:
      refuse(connection, {413, "body_too_large", "the body is too large"});
      return true;
    case ChunkDecoder::Status::kDone:
      break;
  }
  connection.state = State::kHead;
  dispatch(connection, connection.parsed, connection.chunk_body);
  return true;
}

void HttpLoop::dispatch(Connection& connection, const RequestHead& head, std::string_view body) {
  response_.status = 200;
  response_.content_type = "application/json";
  response_.body.clear();
  response_.extra = {};
  response_.more = nullptr;
  connection.state = State::kWaiting;
  if (handler_.handle({head, body}, response_, Ticket(this, connection.id))) {
    respond(connection, response_);
  }
}

void HttpLoop::respond(Connection& connection, Response& response) {
  if (response.more && connection.parsed.old) {  // it could not tell a part from the whole
    return refuse(connection, {505, "bad_version", "an answer in pieces needs HTTP/1.1"});
  }
  std::string& out = connection.out;
  out += "HTTP/1.1 ";
  append_count(out, static_cast<std::size_t>(response.status));
  out += ' ';
  out += reason_phrase(response.status);
  out += "\r\n";
  out += date();
  out += "Content-Type: ";
  out += response.content_type;
  out += "\r\n";
  out += response.extra;
  const bool close = !connection.keep_alive || connection.ended || stopping_;
  if (close) out += "Connection: close\r\n";
  if (!close && connection.parsed.old) out += "Connection: keep-alive\r\n";  // not its default
  connection.close_after = close && !response.more;
  connection.deadline = now_ + (out.empty() ? limits_.idle_time : limits_.answer_time);
  if (response.more) {
    out += "Transfer-Encoding: chunked\r\n\r\n";
    connection.more = std::move(response.more);
    connection.state = State::kStreaming;
    return;
  }
  out += "Content-Length: ";
  append_count(out, response.body.size());
  out += "\r\n\r\n";
  if (connection.parsed.method != "HEAD") out += response.body;
  connection.state = State::kHead;
}

// Answers and closes: what follows on the connection cannot be understood any more.
void HttpLoop::refuse(Connection& connection, const ApiError& error) {
  metrics_->refused(error.code);
  connection.keep_alive = false;
  connection.parsed.method = "";
  Response response;
  response.status = error.status;
  response.body = error_body(error);
  if (error.status == 401) response.extra = "WWW-Authenticate: Bearer\r\n";
  respond(connection, response);
}

// False where the connection is gone.
bool HttpLoop::flush(Connection& connection) {
  while (connection.sent < connection.out.size()) {
    const ssize_t sent = ::send(connection.fd, connection.out.data() + connection.sent,
                                connection.out.size() - connection.sent, MSG_NOSIGNAL);
    if (sent < 0) {
      if (errno == EINTR) continue;
      if (errno == EAGAIN) return true;
      drop(connection);
      return false;
    }
    connection.sent += static_cast<std::size_t>(sent);
    connection.deadline = now_ + limits_.answer_time;
  }
  if (connection.out.empty()) return true;
  connection.out.clear();
  connection.sent = 0;
  if (connection.out.capacity() > 4 * kPiece) connection.out.shrink_to_fit();
  if (connection.state == State::kHead) connection.deadline = now_ + limits_.idle_time;
  if (connection.state == State::kBody || connection.state == State::kChunks) {
    connection.deadline = now_ + limits_.body_time;
  }
  if (connection.close_after && connection.state != State::kLingering) {
    const std::uint64_t id = connection.id;  // it may be gone afterwards
    linger(connection);
    return connections_.contains(id);
  }
  return true;
}

// Gets the next piece of an answer that comes in pieces.
bool HttpLoop::pump(Connection& connection) {
  if (connection.state != State::kStreaming) return false;
  std::string piece;
  bool more = false;
  try {
    more = connection.more(piece);
  } catch (const std::exception&) {
    // Too late for a status: without its last chunk the caller knows that the answer is not whole.
    metrics_->refused("cut_short");
    connection.more = nullptr;
    connection.close_after = true;
    connection.state = State::kLingering;
    connection.deadline = now_;
    ::shutdown(connection.fd, SHUT_RDWR);
    connection.readable = true;
    return false;
  }
  if (!piece.empty()) {
    append_count(connection.out, piece.size(), 16);
    connection.out += "\r\n";
    connection.out += piece;
    connection.out += "\r\n";
  }
  if (!more) {
    connection.out += "0\r\n\r\n";
    connection.more = nullptr;
    connection.state = State::kHead;
    connection.close_after = !connection.keep_alive || connection.ended;
  }
  return true;
}

// Closes so that the answer arrives even where the caller is still sending: a plain close would
// throw away what it has not read yet.
void HttpLoop::linger(Connection& connection) {
  if (connection.ended) return drop(connection);
  ::shutdown(connection.fd, SHUT_WR);
  connection.state = State::kLingering;
  connection.in.clear();
  connection.used = 0;
  connection.deadline = now_ + kLingerTime;
}

}  // namespace dcmrank::service
