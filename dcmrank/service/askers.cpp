#include "dcmrank/service/askers.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace dcmrank::service {

Askers::Askers(std::size_t threads, const std::function<Answer()>& make,
               std::chrono::milliseconds patience, Now now)
    : patience_(patience), now_(std::move(now)) {
  for (std::size_t n = 0; n < threads; ++n) {
    threads_.emplace_back([this, make] { run(make()); });
  }
}

// What takes its time, such as a long list of queries, says nothing of the store.
bool Askers::is_silent(Clock::time_point now) {
  std::optional<Clock::time_point> first;
  if (!waiting_.empty()) first = waiting_.front().came;
  if (!begun_.empty()) first = std::min(first.value_or(now), *begun_.begin());
  if (first && now - std::max(*first, answered_) > patience_) silent_ = true;
  return silent_;
}

bool Askers::offer(Ask ask) {
  {
    const std::lock_guard lock(mutex_);
    const auto now = now_();
    const bool others_try = !begun_.empty() || !waiting_.empty();
    if (stopping_ || (is_silent(now) && others_try)) return false;
    waiting_.push_back({std::move(ask), now});
  }
  ready_.notify_one();
  return true;
}

void Askers::run(const Answer& answer) {
  std::unique_lock lock(mutex_);
  for (;;) {
    ready_.wait(lock, [&] { return stopping_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const auto begun = now_();
    const bool others_try = !begun_.empty();
    const bool late = begun - waiting_.front().came > patience_;
    const bool silent = is_silent(begun) && (others_try || late);
    const Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    const bool counts = next.ask.is_quick && !silent;
    if (counts) begun_.insert(begun);
    lock.unlock();
    const bool answered = answer(next.ask, silent) && !silent;
    lock.lock();
    if (counts) begun_.erase(begun_.find(begun));
    if (!answered) continue;
    answered_ = now_();
    silent_ = false;
  }
}

void Askers::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  ready_.notify_all();
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

}  // namespace dcmrank::service
