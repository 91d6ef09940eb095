#pragma once

#include <string_view>

namespace dcmrank::service {

/// Whether a caller's id of a request is taken as it is: it can stand in a line.
inline bool can_be_request_id(std::string_view given) {
  constexpr std::size_t kLongest = 64;
  return !given.empty() && given.size() <= kLongest &&
         given.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
             "0123456789-_.:/+=") == std::string_view::npos;
}

}  // namespace dcmrank::service
