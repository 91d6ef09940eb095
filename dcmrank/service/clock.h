#pragma once

#include <atomic>
#include <ctime>

#include "dcmrank/ledger/impression.h"

namespace dcmrank::service {

/// The time by which impressions close: it starts from that of the store, and goes on with a clock
/// that nobody can set: a wall clock that jumps closes nothing too early and holds nothing open.
class Clock {
 public:
  explicit Clock(Time now) : ahead_(now - boot()) {}
  Time now() const { return ahead_.load(std::memory_order_relaxed) + boot(); }
  /// The store has a clock of its own, which all who use it go by.
  void follow(Time now) { ahead_ = now - boot(); }

 private:
  static Time boot() {
    timespec now{};
    clock_gettime(CLOCK_BOOTTIME, &now);
    return Time{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
  }

  std::atomic<Time> ahead_;
};

}  // namespace dcmrank::service
