#include "dcmrank/terminal/progress.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "dcmrank/terminal/tell.h"

namespace dcmrank::command {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr const char* kClearLine = "\r\033[K";

}  // namespace

std::string duration_text(double seconds) {
  const auto s = static_cast<std::uint64_t>(std::max(0.0, seconds + 0.5));
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {} s", s / 60, s % 60);
  return fmt::format("{} h {} min", s / 3600, s % 3600 / 60);
}

ProgressBar::ProgressBar(std::string label, std::uint64_t total)
    : label_(std::move(label)), total_(total), start_(Clock::now()) {
  if (::isatty(STDERR_FILENO) == 0) return;
  painter_ = std::jthread([this](const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any ticker;
    std::unique_lock lock(mutex);
    while (!stop.stop_requested()) {
      draw();
      ticker.wait_for(lock, stop, 200ms, [] { return false; });
    }
    tell("{}", kClearLine);
  });
}

ProgressBar::~ProgressBar() {
  if (!painter_.joinable()) return;
  painter_.request_stop();
  painter_.join();
}

void ProgressBar::set_label(std::string label) {
  const std::lock_guard lock(mutex_);
  label_ = std::move(label);
}

void ProgressBar::draw() const {
  constexpr std::size_t kWidth = 30;
  const double share = std::min(1.0, static_cast<double>(done_.load()) /
                                         static_cast<double>(std::max<std::uint64_t>(total_, 1)));
  const double elapsed = std::chrono::duration<double>(Clock::now() - start_).count();
  const auto filled = static_cast<std::size_t>(share * kWidth);
  const std::string bar = std::string(filled, '#') + std::string(kWidth - filled, '.');
  const std::string left =
      share > 0.001 ? duration_text(elapsed * (1 - share) / share) + " left" : "";
  const std::lock_guard lock(mutex_);
  tell("{}{} [{}] {:3.0f} %  {}", kClearLine, label_, bar, 100 * share, left);
  std::fflush(stderr);
}

}  // namespace dcmrank::command
