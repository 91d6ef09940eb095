#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dcmrank/http/message.h"

namespace dcmrank::service {

enum class Scope : std::uint8_t { kRank = 1, kFeedback = 2, kAdmin = 4 };

/// What a caller may do.
struct Grant {
  std::uint8_t scopes = 7;
  std::string model;  // empty: all

  /// By whom, as far as what is kept is concerned: empty where no key is needed.
  const std::string& caller() const { return name; }
  std::size_t held(std::size_t otherwise) const { return otherwise; }

  std::string name{};
};

/// The keys of a service: a file with lines `sha256:HEX scope[,scope] MODEL` (`*`: all models).
/// Only hashes are in the file and in memory.
class Keys {
 public:
  Keys() = default;  // nobody needs a key
  /// The text of a file; throws InputError naming the file and the line.
  Keys(std::string_view text, const std::string& file);

  bool needed() const { return needed_; }

  /// What the key of a request allows; throws ApiError (401) where there is none or it is wrong.
  /// Every key is compared, each in constant time.
  Grant grant(const RequestHead& head) const;

 private:
  using Hash = std::array<unsigned char, 32>;
  struct Entry {
    Hash hash{};
    Grant grant;
  };
  static Entry parse(std::string_view line, const std::string& where);

  bool needed_ = false;
  std::vector<Entry> entries_;
};

}  // namespace dcmrank::service
