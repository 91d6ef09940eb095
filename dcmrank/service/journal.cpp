#include "dcmrank/service/journal.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/http/json_writer.h"
#include "dcmrank/ledger/hash.h"

namespace dcmrank::service {
namespace {

constexpr std::uint64_t kMostASecond = 20;  // lines of one kind

const char* to_text(Journal::Level level) {
  switch (level) {
    case Journal::Level::kError:
      return "error";
    case Journal::Level::kWarning:
      return "warning";
    case Journal::Level::kInfo:
      return "info";
  }
  return "";
}

int open_log(const std::string& file) {
  if (file.empty()) return STDERR_FILENO;
  // Of a pipe that nobody reads, the opening would wait for ever.
  constexpr int kFlags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK;
  const int descriptor = ::open(file.c_str(), kFlags, 0600);
  if (descriptor < 0) {
    throw InputError(fmt::format("--log {}: {}", file,
                                 std::strerror(errno)));  // NOLINT(concurrency-mt-unsafe)
  }
  return descriptor;
}

std::string time_now() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  tm parts{};
  gmtime_r(&now.tv_sec, &parts);
  std::array<char, 32> text{};
  const std::size_t size = strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  return fmt::format("{}.{:03}Z", std::string_view(text.data(), size), now.tv_nsec / 1'000'000);
}

}  // namespace

std::optional<Journal::Level> find_level(std::string_view text) {
  for (const auto level :
       {Journal::Level::kError, Journal::Level::kWarning, Journal::Level::kInfo}) {
    if (text == to_text(level)) return level;
  }
  return std::nullopt;
}

std::string hash_for_log(std::string_view text) {
  std::string result;
  for (const char byte : sha256(text).substr(0, 8)) {
    result += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  }
  return result;
}

Journal::Journal(const std::string& file, Level least)
    : file_(file), least_(least), descriptor_(open_log(file)) {}

Journal::~Journal() {
  if (descriptor_ != STDERR_FILENO) ::close(descriptor_);
}

void Journal::reopen() {
  const int anew = open_log(file_);
  const std::lock_guard lock(mutex_);
  if (descriptor_ != STDERR_FILENO) ::close(descriptor_);
  descriptor_ = anew;
}

bool Journal::may_write(std::string_view event, std::uint64_t& left_out) {
  const auto now = std::chrono::steady_clock::now();
  const std::lock_guard lock(mutex_);
  const auto at = kinds_.find(event);
  Kind& kind = at == kinds_.end() ? kinds_[std::string(event)] : at->second;
  if (now - kind.second >= std::chrono::seconds(1)) {
    kind.second = now;
    kind.lines = 0;
  }
  if (kind.lines >= kMostASecond) {
    ++kind.left_out;
    return false;
  }
  ++kind.lines;
  left_out = std::exchange(kind.left_out, 0);
  return true;
}

Journal::Line Journal::line(Level level, std::string_view event, bool always) {
  std::uint64_t left_out = 0;
  const bool wanted = level <= least_ && (always || may_write(event, left_out));
  return Line(wanted ? this : nullptr, level, event,
              {{"left_out", left_out > 0 ? std::to_string(left_out) : std::string()}});
}

Journal::Line Journal::audit(std::string_view act, std::string_view by, std::string_view request,
                             Done done) {
  if (done == Done::kYes) {
    return Line(this, Level::kInfo, "audit", {{"act", act}, {"key", by}, {"request", request}});
  }
  return Line(this, Level::kInfo, "audit",
              {{"act", act}, {"key", by}, {"request", request}, {"outcome", "unknown"}});
}

// A log that cannot be written, or that nobody reads, must not stop the service.
void Journal::write(const std::string& text) {
  const std::lock_guard lock(mutex_);
  pollfd room{descriptor_, POLLOUT, 0};
  if (::poll(&room, 1, 0) == 0) {
    ++unread_;
    return;
  }
  std::string lines;
  if (unread_ > 0) {
    lines = fmt::format(R"({{"time":"{}","level":"warning","event":"log_blocked","left_out":{}}})",
                        time_now(), std::exchange(unread_, 0));
    lines += '\n';
  }
  lines += text;
  const bool failed = ::write(descriptor_, lines.data(), lines.size()) < 0;
  const int why = errno;
  if (failed && !told_ && descriptor_ != STDERR_FILENO) {
    const std::string problem = fmt::format("dcmrank: --log {} cannot be written: {}\n", file_,
                                            std::strerror(why));  // NOLINT(concurrency-mt-unsafe)
    [[maybe_unused]] const auto told = ::write(STDERR_FILENO, problem.data(), problem.size());
  }
  told_ = failed;
}

Journal::Line::Line(Journal* journal, Level level, std::string_view event,
                    std::initializer_list<std::pair<std::string_view, std::string_view>> texts)
    : journal_(journal) {
  if (journal_ == nullptr) return;
  text_ = fmt::format(R"({{"time":"{}","level":"{}","event":)", time_now(), to_text(level));
  append_text(text_, event);
  for (const auto& [name, text] : texts) {
    if (!text.empty()) with(name, text);
  }
}

Journal::Line::~Line() {
  if (journal_ == nullptr) return;
  text_ += "}\n";
  journal_->write(text_);
}

Journal::Line& Journal::Line::with(std::string_view name, std::string_view text) {
  if (journal_ == nullptr) return *this;
  text_ += ',';
  append_text(text_, name);
  text_ += ':';
  append_text(text_, text);
  return *this;
}

Journal::Line& Journal::Line::with(std::string_view name, std::uint64_t number) {
  if (journal_ == nullptr) return *this;
  text_ += ',';
  append_text(text_, name);
  text_ += ':';
  append_number(text_, number);
  return *this;
}

Journal::Line& Journal::Line::with_seconds(std::string_view name, double seconds) {
  if (journal_ == nullptr) return *this;
  text_ += ',';
  append_text(text_, name);
  text_ += fmt::format(":{:.6f}", seconds);
  return *this;
}

}  // namespace dcmrank::service
