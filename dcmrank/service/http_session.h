#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "dcmrank/service/http_loop.h"

namespace dcmrank::service {

using Socket = boost::asio::generic::stream_protocol::socket;  // TCP or Unix
using TlsStream = boost::asio::ssl::stream<Socket>;
using RequestParser = boost::beast::http::request_parser<boost::beast::http::string_body>;

/// What is there of the head that a parser has read, or why it is refused: anything that two
/// readers could understand differently is, where Beast itself does not. Views are into the parser.
std::optional<ApiError> read_head(const RequestParser& parser, RequestHead& head);

/// The head's text, before Beast reads it: a folded line is refused.
bool has_folded_line(std::string_view head);

/// Why Beast refuses a request.
ApiError refusal_of(const boost::system::error_code& error);

/// A connection over a stream of Asio. It either reads, or writes, or waits for an answer, never
/// two of these: there is one operation under way, or none.
template <class Stream>
class HttpSession final : public Session, public std::enable_shared_from_this<HttpSession<Stream>> {
 public:
  HttpSession(Stream stream, HttpLoop& loop)
      : stream_(std::move(stream)), loop_(&loop), id_(loop.next_id()) {}

  std::uint64_t id() const { return id_; }
  void start() override;
  void answer(Response response) override;
  void late() override;
  void stop() override;

 private:
  using Error = boost::system::error_code;
  enum class State { kHandshake, kHead, kBody, kWaiting, kStreaming, kLingering, kClosed };

  void go_on();
  bool step();
  bool head();
  bool body();
  void dispatch();
  void respond(Response& response);
  void refuse(const ApiError& error);
  void pump();
  void read();
  void received(const Error& error, std::size_t size);
  void write();
  void linger();
  void close();
  bool skip_empty_lines();
  void expect_next();
  Socket& socket();

  std::string_view unread() const {
    return {static_cast<const char*>(buffer_.cdata().data()), buffer_.size()};
  }

  Stream stream_;
  HttpLoop* loop_;
  std::uint64_t id_;
  State state_ = State::kHead;
  boost::beast::flat_buffer buffer_;
  std::size_t scanned_ = 0;  // of the buffer, for the end of the head
  std::size_t skipped_ = 0;  // empty lines before the head
  bool begun_ = false;       // something of the present request is there
  bool busy_ = false;        // an operation is under way
  bool late_ = false;        // it was cancelled for that
  std::optional<RequestParser> parser_;
  RequestHead head_;
  Response response_;
  std::string out_;
  std::size_t sent_ = 0;
  std::function<bool(std::string&)> more_;
  bool keep_alive_ = true;
  bool close_after_ = false;
};

extern template class HttpSession<Socket>;
extern template class HttpSession<TlsStream>;

}  // namespace dcmrank::service
