#include "dcmrank/service/queue_bytes.h"

#include <algorithm>

namespace dcmrank::service {

bool QueueBytes::take(const std::string& caller, std::size_t bytes) {
  if (bytes > most_ - std::min(most_, taken_)) return false;
  const auto at = by_caller_.find(caller);
  const std::size_t own = at == by_caller_.end() ? 0 : at->second;
  if (own + bytes > most_of(caller)) return false;
  by_caller_[caller] = own + bytes;
  taken_ += bytes;
  return true;
}

void QueueBytes::give(const std::string& caller, std::size_t bytes) {
  taken_ -= bytes;
  const auto at = by_caller_.find(caller);
  at->second -= bytes;
  if (at->second == 0) by_caller_.erase(at);
}

}  // namespace dcmrank::service
