#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>

namespace dcmrank::service {

/// Bytes that wait, within a bound; of callers that have names, keys that is, none takes more than
/// half of it.
class QueueBytes {
 public:
  explicit QueueBytes(std::size_t most) : most_(most) {}
  /// What this caller may take where nothing waits.
  std::size_t most_of(const std::string& caller) const {
    return caller.empty() ? most_ : most_ / 2;
  }
  bool take(const std::string& caller, std::size_t bytes);
  void give(const std::string& caller, std::size_t bytes);
  std::size_t taken() const { return taken_; }

 private:
  std::size_t most_;
  std::size_t taken_ = 0;
  std::map<std::string, std::size_t, std::less<>> by_caller_;
};

}  // namespace dcmrank::service
