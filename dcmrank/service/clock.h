#pragma once

#include <algorithm>
#include <chrono>
#include <ctime>

#include "dcmrank/ledger/impression.h"

namespace dcmrank::service {

/// The time by which impressions close. It starts from the wall clock, but never before the latest
/// time in the database, and goes on with a clock that nobody can set: a wall clock that jumps
/// closes nothing too early and holds nothing open.
class Clock {
 public:
  explicit Clock(Time at_least) : start_(std::max(wall(), at_least)), steady_(boot()) {}
  Time now() const { return start_ + (boot() - steady_); }

 private:
  static Time wall() {
    using std::chrono::milliseconds;
    const auto since = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<milliseconds>(since).count();
  }
  static Time boot() {
    timespec now{};
    clock_gettime(CLOCK_BOOTTIME, &now);
    return Time{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
  }

  Time start_;
  Time steady_;
};

}  // namespace dcmrank::service
