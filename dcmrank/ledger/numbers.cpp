#include "dcmrank/ledger/numbers.h"

#include <stdexcept>

namespace dcmrank::service {

bool Numbers::is_low() const {
  const std::lock_guard lock(mutex_);
  constexpr std::uint64_t kHalf = std::uint64_t{1} << (kCountBits - 1);
  return !spare_ && (count_.load() & (2 * kHalf - 1)) >= kHalf;
}

void Numbers::add(std::uint64_t start) {
  const std::lock_guard lock(mutex_);
  spare_ = start;
}

// Threads that were beyond the end may hold the first counts of the start after: these are skipped.
void Numbers::go_on() {
  constexpr std::uint64_t kSkipped = std::uint64_t{1} << 16U;
  const std::lock_guard lock(mutex_);
  if (count_.load() >> kCountBits == start_.load()) return;  // another thread was here
  if (!spare_) throw std::runtime_error("no number is left for an impression");
  count_ = (*spare_ << kCountBits) + kSkipped;
  start_ = *spare_;
  spare_.reset();
}

}  // namespace dcmrank::service
