#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

#include "dcmrank/store/reason.h"

namespace dcmrank::service {

/// Answers that callers wait for. Each is given once: by whoever has it, or, where that takes too
/// long, as a refusal. Any thread.
class Overdue {
 public:
  using Clock = std::chrono::steady_clock;
  using Refuse = std::function<void(const Reason& why)>;

  explicit Overdue(std::chrono::milliseconds patience) : patience_(patience) {}

  class Awaited {
   public:
    Awaited(Clock::time_point since, Refuse refuse) : since_(since), refuse_(std::move(refuse)) {}
    /// Whether it is up to the one who asks to give the answer. True once.
    bool take() {
      if (given_.exchange(true)) return false;
      refuse_ = nullptr;
      return true;
    }
    bool is_given() const { return given_; }

   private:
    friend class Overdue;
    Clock::time_point since_;
    std::atomic<bool> given_ = false;
    Refuse refuse_;  // of whoever takes it
  };

  /// `since`: when the caller began to wait.
  std::shared_ptr<Awaited> add(Refuse refuse, Clock::time_point since = Clock::now());

  /// Something goes on that may take long: until it ends nobody's time runs.
  void pause();
  void resume();

  /// Refuses all that have waited too long.
  void expire(const Reason& why);

 private:
  std::chrono::milliseconds patience_;
  std::mutex mutex_;
  std::deque<std::shared_ptr<Awaited>> awaited_;  // who waits longest first
  bool paused_ = false;
  Clock::time_point resumed_{};
};

}  // namespace dcmrank::service
