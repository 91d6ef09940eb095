#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "dcmrank/http/message.h"

namespace dcmrank::service {

/// A copy of a request, which may outlive the connection that it came on.
class KeptRequest {
 public:
  explicit KeptRequest(const Request& request) : head_(request.head), body_(request.body) {
    for (std::size_t n = 0; n < kTexts.size(); ++n) texts_.at(n) = head_.*kTexts.at(n);
  }

  /// Its views are into this.
  Request request() const {
    Request request{head_, body_};
    for (std::size_t n = 0; n < kTexts.size(); ++n) request.head.*kTexts.at(n) = texts_.at(n);
    return request;
  }

 private:
  // All views of a head.
  static constexpr std::array kTexts{&RequestHead::method,     &RequestHead::path,
                                     &RequestHead::query,      &RequestHead::authorization,
                                     &RequestHead::api_key,    &RequestHead::content_type,
                                     &RequestHead::host,       &RequestHead::origin,
                                     &RequestHead::fetch_site, &RequestHead::request_id};

  RequestHead head_;
  std::array<std::string, kTexts.size()> texts_;
  std::string body_;
};

}  // namespace dcmrank::service
