#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace dcmrank::command {

/// A line on stderr with a bar and the time that remains, drawn while it lives and only where
/// stderr is a terminal. Workers increase done().
class ProgressBar {
 public:
  ProgressBar(std::string label, std::uint64_t total);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ProgressBar(ProgressBar&&) = delete;
  ProgressBar& operator=(ProgressBar&&) = delete;

  std::atomic<std::uint64_t>& done() { return done_; }

  /// Another part of the same work begins.
  void set_label(std::string label);
  void set_total(std::uint64_t total) { total_ = total; }

 private:
  void draw() const;

  mutable std::mutex mutex_;  // guards label_
  std::string label_;
  std::atomic<std::uint64_t> total_;
  std::chrono::steady_clock::time_point start_;
  std::atomic<std::uint64_t> done_ = 0;
  std::jthread painter_;  // last: it uses all of the above
};

/// "43 s", "12 min 5 s", "3 h 20 min".
std::string duration_text(double seconds);

}  // namespace dcmrank::command
