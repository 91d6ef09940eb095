#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <unordered_map>

#include "dcmrank/service/key_entry.h"

namespace dcmrank::service {

/// How many requests each key may make: a bucket of tokens per key, which holds `burst` of them and
/// gets `rate` a second. Keys without limits of their own have those given here; a rate of 0 is no
/// limit, a burst of 0 as many as a second brings. Any thread.
class RateLimits {
 public:
  RateLimits(std::uint64_t rate, std::uint64_t burst) : rate_(rate), burst_(burst) {}

  /// Counts one request of the caller; throws ApiError (429) where its bucket is empty.
  void count(const Grant& grant);

  /// The same at a time in nanoseconds, of any clock that never goes back: whether a token was
  /// there.
  bool take(const Grant& grant, std::int64_t now);

 private:
  // A bucket is one number: the time at which it will be full. Every token taken moves it on by
  // the time in which one comes back.
  struct alignas(64) Shard {
    std::mutex mutex;
    std::unordered_map<std::uint64_t, std::int64_t> full_at;  // by the key's id
  };

  std::uint64_t rate_;
  std::uint64_t burst_;
  std::array<Shard, 64> shards_;
};

}  // namespace dcmrank::service
