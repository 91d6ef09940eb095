#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ssl/stream.hpp>

#include "dcmrank/http/loop.h"
#include "dcmrank/http/request_reader.h"

namespace dcmrank::service {

using Socket = boost::asio::generic::stream_protocol::socket;  // TCP or Unix
using TlsStream = boost::asio::ssl::stream<Socket>;

/// A connection over a stream of Asio. It either reads, or writes, or waits for an answer, never
/// two of these: there is one operation under way, or none.
template <class Stream>
class HttpSession final : public Session, public std::enable_shared_from_this<HttpSession<Stream>> {
 public:
  /// `peer`: the address at the other end, for the log.
  HttpSession(Stream stream, HttpLoop& loop, std::string peer)
      : stream_(std::move(stream)),
        loop_(&loop),
        peer_(std::move(peer)),
        id_(loop.next_id()),
        reader_(loop.limits(), loop.bodies()),
        unsent_(loop.bodies()) {}

  std::uint64_t id() const { return id_; }
  void start() override;
  void send() override { write(); }
  void answer(Response response) override;
  void late() override;
  void stop() override;

 private:
  using Error = boost::system::error_code;
  enum class State { kOpening, kReading, kWaiting, kStreaming, kLingering, kClosed };

  void note_no_tls(const Error& error);
  void go_on();
  bool step();
  void dispatch();
  void respond(Response& response);
  void name_request();
  void tell(const Response& response, double seconds, std::size_t bytes);
  double seconds() const;
  void refuse(const ApiError& error);
  void finish();
  void pump();
  void read();
  void received(const Error& error, std::size_t size);
  void write();
  void sent(const Error& error, std::size_t size);
  void linger();
  void close();
  void expect_request();
  void wait_for(std::int64_t milliseconds);
  bool has_unread();  // bytes that have come
  bool is_quiet() const;
  const HttpLimits& limits() const { return loop_->limits(); }
  Socket& socket();

  Stream stream_;
  HttpLoop* loop_;
  std::string peer_;
  std::uint64_t id_;
  State state_ = State::kReading;
  RequestReader reader_;
  bool begun_ = false;    // something of the present request has come
  bool busy_ = false;     // an operation is under way
  bool late_ = false;     // and was cancelled because it took too long
  bool stopped_ = false;  // or because the server stops
  Response response_;
  std::string request_id_;
  std::chrono::steady_clock::time_point began_;  // when the request was whole
  std::string out_;
  std::size_t sent_ = 0;                    // of `out_`
  BudgetShare unsent_;                      // of what large answers may take together
  std::function<bool(std::string&)> more_;  // of an answer in pieces
  double took_ = 0;                         // until it began
  std::size_t streamed_ = 0;                // bytes of its body, so far
  bool close_after_ = false;                // once `out_` is sent
};

extern template class HttpSession<Socket>;
extern template class HttpSession<TlsStream>;

}  // namespace dcmrank::service
