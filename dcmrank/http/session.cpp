#include "dcmrank/http/session.h"

#include <algorithm>
#include <type_traits>

#include <boost/asio/buffer.hpp>

#include "dcmrank/http/answer.h"
#include "dcmrank/http/request_id.h"
#include "dcmrank/http/tls_trouble.h"

namespace dcmrank::service {
namespace {

constexpr int kTurn = 32;                        // requests before others get their turn
constexpr std::size_t kMostUnsent = 64U << 10U;  // then the caller must take answers first
constexpr std::int64_t kLingerTime = 2000;       // milliseconds

ApiError error_of(const Response& response, int status, const char* code, const char* message) {
  return {status, code, message, "", "", response.call, response.caller};
}

}  // namespace

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
  wait_for(limits().header_time);
  if constexpr (std::is_same_v<Stream, TlsStream>) {
    state_ = State::kOpening;
    busy_ = true;
    stream_.async_handshake(TlsStream::server,
                            [self = this->shared_from_this()](const Error& error) {
                              self->busy_ = false;
                              if (error) self->note_no_tls(error);
                              if (error || self->state_ == State::kClosed) return self->close();
                              self->state_ = State::kReading;
                              self->go_on();
                            });
  } else {
    go_on();
  }
}

template <class Stream>
void HttpSession<Stream>::note_no_tls(const Error& error) {
  loop_->watch().refused("tls");
  if (const auto why = why_no_tls(error)) loop_->watch().not_tls(peer_, *why);
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
  if (!out_.empty()) {
    busy_ = true;
    return loop_->send_later(this->shared_from_this());
  }
  if (close_after_) return linger();
  if (state_ == State::kReading) read();
}

// Whether there was something to understand.
template <class Stream>
bool HttpSession<Stream>::step() {
  if (state_ != State::kReading) return false;
  switch (reader_.next(loop_->handler().body_limit)) {
    case RequestReader::Found::kNothing:
      return false;
    case RequestReader::Found::kHead:
      wait_for(limits().body_time);
      if (reader_.head().expects_continue && reader_.is_empty()) {
        out_ += "HTTP/1.1 100 Continue\r\n\r\n";
      }
      return true;
    case RequestReader::Found::kRequest:
      dispatch();
      return true;
    case RequestReader::Found::kRefusal:
      refuse(reader_.refusal());
      return true;
  }
  return false;
}

template <class Stream>
void HttpSession<Stream>::dispatch() {
  response_ = Response();
  state_ = State::kWaiting;
  deadline = 0;
  name_request();
  Request request{reader_.head(), reader_.body()};
  request.head.request_id = request_id_;
  if (loop_->handler().handle(request, response_, Ticket(loop_, id_))) respond(response_);
}

template <class Stream>
void HttpSession<Stream>::name_request() {
  const std::string_view given = reader_.head().request_id;
  request_id_ = can_be_request_id(given) ? std::string(given) : loop_->make_request_id();
  began_ = std::chrono::steady_clock::now();
}

template <class Stream>
double HttpSession<Stream>::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
}

template <class Stream>
void HttpSession<Stream>::tell(const Response& response, double seconds, std::size_t bytes) {
  loop_->watch().answered({request_id_, reader_.head().method, response.call, response.caller,
                           response.problem, peer_, response.status, seconds, bytes});
}

template <class Stream>
void HttpSession<Stream>::answer(Response response) {
  if (state_ != State::kWaiting) return;
  if (*response.call == '\0') response.call = response_.call;  // as the handler left it
  if (response.caller.empty()) response.caller = response_.caller;
  respond(response);
  go_on();
}

template <class Stream>
void HttpSession<Stream>::respond(Response& response) {
  const RequestHead& head = reader_.head();
  if (response.more && head.old) {  // it could not tell a part from the whole
    return refuse(error_of(response, 505, "bad_version", "an answer in pieces needs HTTP/1.1"));
  }
  close_after_ = !head.keep_alive || loop_->stopping();
  const bool no_body = reader_.asks_for_head();
  // One that is larger than all the room may take all of it.
  if (const std::size_t size = response.body.size();
      size > kMostUnsent && !unsent_.reach(std::min(out_.size() + size, limits().bodies))) {
    loop_->watch().refused("busy");
    response = error_response(
        error_of(response, 503, "busy", "answers to others take all the room there is; try again"));
  }
  append_answer(out_, response, {loop_->date(), close_after_, head.old, no_body, request_id_});
  if (!response.more || no_body) {
    tell(response, seconds(), no_body ? 0 : response.body.size());
    return finish();
  }
  close_after_ = false;
  more_ = std::move(response.more);
  took_ = seconds();
  streamed_ = 0;
  if (&response != &response_) response_ = std::move(response);
  state_ = State::kStreaming;
  wait_for(limits().answer_time);
}

// Answers and closes: what follows on the connection cannot be understood any more.
template <class Stream>
void HttpSession<Stream>::refuse(const ApiError& error) {
  loop_->watch().refused(error.code);
  close_after_ = true;
  const bool no_body = reader_.asks_for_head();
  name_request();
  const Response response = error_response(error);
  append_answer(out_, response, {loop_->date(), true, false, no_body, request_id_});
  tell(response, seconds(), no_body ? 0 : response.body.size());
  finish();
}

// The request is answered; the next one may be there already.
template <class Stream>
void HttpSession<Stream>::finish() {
  reader_.finish();
  state_ = State::kReading;
  begun_ = !reader_.is_empty();
  expect_request();
}

template <class Stream>
void HttpSession<Stream>::expect_request() {
  wait_for(begun_ ? limits().header_time : limits().idle_time);
}

// Gets the next piece of an answer that comes in pieces.
template <class Stream>
void HttpSession<Stream>::pump() {
  std::string piece;
  bool more = true;
  try {
    while (more && piece.empty()) more = more_(piece);
  } catch (const std::exception&) {
    // Too late for a status: without its last piece the caller knows that the answer is not whole.
    loop_->watch().refused("cut_short");
    return close();
  }
  if (!piece.empty()) append_piece(out_, piece);
  streamed_ += piece.size();
  if (more) return;
  append_last_piece(out_);
  tell(response_, took_, streamed_);
  more_ = nullptr;
  close_after_ = !reader_.head().keep_alive || loop_->stopping();
  finish();
}

// For a request that has not come whole not longer than the loop takes any.
template <class Stream>
void HttpSession<Stream>::wait_for(std::int64_t milliseconds) {
  deadline = HttpLoop::now() + milliseconds;
  if (state_ == State::kReading && out_.empty()) {
    deadline = std::min(deadline, loop_->takes_until());
  }
}

template <class Stream>
void HttpSession<Stream>::read() {
  busy_ = true;
  stream_.async_read_some(reader_.room(),
                          [self = this->shared_from_this()](const Error& error, std::size_t size) {
                            self->busy_ = false;
                            self->received(error, size);
                          });
}

template <class Stream>
void HttpSession<Stream>::received(const Error& error, std::size_t size) {
  if (state_ == State::kClosed) return;
  if (std::exchange(late_, false)) {
    refuse(loop_->stopping()
               ? ApiError{503, "stopping", "the server stops, and the request has not come whole"}
               : ApiError{408, "timeout", "the request took too long to arrive"});
    return go_on();
  }
  const bool was_stopped = std::exchange(stopped_, false);
  if (was_stopped && error == boost::asio::error::operation_aborted && has_unread()) return go_on();
  if (error) return close();
  if (state_ == State::kLingering) return read();  // and throws it away
  reader_.take(size);
  if (!std::exchange(begun_, true)) expect_request();
  go_on();
}

template <class Stream>
void HttpSession<Stream>::write() {
  if (state_ == State::kClosed) return;
  busy_ = true;
  if (!reader_.in_body()) wait_for(limits().answer_time);
  stream_.async_write_some(boost::asio::buffer(out_.data() + sent_, out_.size() - sent_),
                           [self = this->shared_from_this()](const Error& error, std::size_t size) {
                             self->busy_ = false;
                             self->sent(error, size);
                           });
}

template <class Stream>
void HttpSession<Stream>::sent(const Error& error, std::size_t size) {
  if (state_ == State::kClosed) return;
  if (error) return close();
  sent_ += size;
  if (sent_ < out_.size()) return write();
  out_.clear();
  unsent_.clear();
  sent_ = 0;
  if (out_.capacity() > kMostUnsent) out_.shrink_to_fit();
  // Its answer was made before the stop, and promised that the connection would be kept.
  if (loop_->stopping() && !close_after_ && is_quiet() && !has_unread()) return close();
  if (state_ == State::kReading && !reader_.in_body()) expect_request();
  if (state_ == State::kWaiting) deadline = 0;
  go_on();
}

// Closes so that the answer arrives even where the caller is still sending: a plain close would
// throw away what it has not read yet.
template <class Stream>
void HttpSession<Stream>::linger() {
  state_ = State::kLingering;
  wait_for(kLingerTime);
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
  if (state_ != State::kReading || !begun_ || !out_.empty() || late_) return close();
  late_ = true;
  deadline = HttpLoop::now() + limits().answer_time;
  Error error;
  socket().cancel(error);
}

template <class Stream>
bool HttpSession<Stream>::has_unread() {
  Error error;
  return socket().available(error) > 0 && !error;
}

// Whether no request is under way, as far as was read.
template <class Stream>
bool HttpSession<Stream>::is_quiet() const {
  return out_.empty() && (state_ == State::kOpening || (state_ == State::kReading && !begun_));
}

// A read of an idle connection is called off; where it has got something already, or something has
// come meanwhile, that goes on.
template <class Stream>
void HttpSession<Stream>::stop() {
  if (is_quiet()) {
    if (state_ == State::kOpening || !busy_) return close();
    stopped_ = true;
    Error error;
    socket().cancel(error);
  } else if (state_ == State::kReading && out_.empty()) {
    deadline = std::min(deadline, loop_->takes_until());
  }
}

template <class Stream>
void HttpSession<Stream>::close() {
  if (state_ == State::kClosed) return;
  if (state_ == State::kStreaming) {
    response_.problem = "the connection ended before the answer did";
    tell(response_, took_, streamed_);
  }
  state_ = State::kClosed;
  more_ = nullptr;
  Error error;
  socket().close(error);
  loop_->remove(id_);
}

template class HttpSession<Socket>;
template class HttpSession<TlsStream>;

}  // namespace dcmrank::service
