#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>

#include <boost/beast/core/flat_buffer.hpp>

#include "dcmrank/http/budget.h"
#include "dcmrank/http/head.h"
#include "dcmrank/http/limits.h"

namespace dcmrank::service {

/// The requests of a connection, from its bytes in whatever pieces they come. It knows of no
/// socket.
class RequestReader {
 public:
  /// How large the body of a request may be; asked before the body is read. An ApiError refuses.
  using BodyLimit = std::function<std::size_t(const RequestHead&)>;

  RequestReader(const HttpLimits& limits, ByteBudget& bodies) : limits_(&limits), share_(bodies) {}

  /// Room for what comes next, and how much of it came.
  boost::asio::mutable_buffer room();
  void take(std::size_t size) { buffer_.commit(size); }

  enum class Found {
    kNothing,  // more must come
    kHead,     // and a body is to follow
    kRequest,  // whole
    kRefusal,  // what follows cannot be understood any more
  };
  Found next(const BodyLimit& body_limit);

  const RequestHead& head() const { return head_; }
  std::string_view body() const { return parser_->get().body(); }
  const ApiError& refusal() const { return refusal_; }
  /// Whether the answer is to have no body (RFC 9110, 9.3.2), also where nothing but the method was
  /// understood.
  bool asks_for_head() const;

  /// The request was answered: the next one may begin.
  void finish();

  bool in_body() const { return in_body_; }
  bool is_empty() const { return buffer_.size() == 0; }

 private:
  Found read_head(const BodyLimit& body_limit);
  Found read_body();
  Found refuse(ApiError error);
  bool skip_empty_lines();
  bool has_room_for(std::size_t body);
  std::string_view unread() const {
    return {static_cast<const char*>(buffer_.cdata().data()), buffer_.size()};
  }

  const HttpLimits* limits_;
  BudgetShare share_;  // of what bodies may take together
  boost::beast::flat_buffer buffer_;
  std::size_t scanned_ = 0;  // of the buffer, for the end of the head
  std::size_t skipped_ = 0;  // bytes of empty lines before the head
  bool in_body_ = false;
  std::optional<RequestParser> parser_;
  RequestHead head_;
  ApiError refusal_;
};

}  // namespace dcmrank::service
