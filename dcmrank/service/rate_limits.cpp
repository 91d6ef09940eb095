#include "dcmrank/service/rate_limits.h"

#include <algorithm>
#include <chrono>

#include "dcmrank/http/message.h"

namespace dcmrank::service {

bool RateLimits::take(const Grant& grant, std::int64_t now) {
  const std::uint64_t rate = grant.rate.value_or(rate_);
  if (rate == 0) return true;
  // The service's burst goes with the service's rate, not with that of a key.
  const std::uint64_t burst = grant.burst.value_or(grant.rate ? 0 : burst_);
  constexpr std::int64_t kSecond = 1'000'000'000;
  const std::int64_t token = kSecond / static_cast<std::int64_t>(rate);
  const std::int64_t room = token * static_cast<std::int64_t>(burst != 0 ? burst : rate);
  Shard& shard = shards_[grant.id % shards_.size()];
  const std::lock_guard lock(shard.mutex);
  std::int64_t& full_at = shard.full_at[grant.id];
  const std::int64_t then = std::max(full_at, now) + token;
  if (then - now > room) return false;
  full_at = then;
  return true;
}

void RateLimits::count(const Grant& grant) {
  using std::chrono::nanoseconds;
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  if (take(grant, std::chrono::duration_cast<nanoseconds>(now).count())) return;
  // Rates are whole numbers: within a second there is a token again, so Retry-After is 1.
  throw ApiError{429, "too_many_requests", "too many requests in a short time; try again"};
}

}  // namespace dcmrank::service
