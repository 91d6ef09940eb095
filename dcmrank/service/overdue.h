#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace dcmrank::service {

/// Answers that callers wait for. Each is given once: by whoever has it, or, where that takes too
/// long, as a refusal. Any thread.
class Overdue {
 public:
  using Clock = std::chrono::steady_clock;
  using Refuse = std::function<void(const std::string& why)>;

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

  std::shared_ptr<Awaited> add(Refuse refuse);

  /// Something goes on that may take long: until it ends nobody's time runs.
  void pause();
  void resume();

  /// Refuses all that have waited too long.
  void expire(const std::string& why);

 private:
  std::chrono::milliseconds patience_;
  std::mutex mutex_;
  std::deque<std::shared_ptr<Awaited>> awaited_;  // the oldest first
  bool paused_ = false;
  Clock::time_point resumed_{};
};

}  // namespace dcmrank::service
