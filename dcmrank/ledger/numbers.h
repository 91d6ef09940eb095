#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>

#include "dcmrank/ledger/bucket.h"

namespace dcmrank::service {

/// Gives impressions their numbers: a start of a service, a count, and the bucket. They never
/// repeat, whatever was lost in a crash, because every start is another one; where the count of one
/// runs out, the next is asked for in time. Any thread.
class Numbers {
 public:
  static constexpr unsigned kCountBits = 32;

  /// `used`: how many of this start are gone already.
  explicit Numbers(std::uint64_t start, std::uint64_t used = 0)
      : count_((start << kCountBits) + used), start_(start) {}

  /// Throws std::runtime_error if none is left.
  std::uint64_t next(std::size_t bucket) {
    for (;;) {
      const std::uint64_t count = count_.fetch_add(1) + 1;
      if (count >> kCountBits == start_.load()) return count * kBuckets + bucket;
      go_on();
    }
  }

  /// No number that was given out is above.
  std::uint64_t last() const { return (count_.load() + 1) * kBuckets; }

  /// Whether another start should be requested soon.
  bool is_low() const;
  void add(std::uint64_t start);

 private:
  void go_on();

  std::atomic<std::uint64_t> count_;
  std::atomic<std::uint64_t> start_;
  mutable std::mutex mutex_;
  std::optional<std::uint64_t> spare_;
};

}  // namespace dcmrank::service
