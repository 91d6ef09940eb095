#pragma once

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace dcmrank::service {

/// The service's log: one line of JSON for each event of interest. Nothing secret stands in it, and
/// no text of callers: what was erased is named by a hash. Lines of one kind are limited to some a
/// second; the next one says how many were left out. So does the line `log_blocked` where nobody
/// took the lines from a pipe for a while. Any thread.
class Journal {
 public:
  enum class Level : std::uint8_t { kError, kWarning, kInfo };

  /// To a file, which is appended to, or to the standard error where it has no name. Throws
  /// InputError.
  Journal(const std::string& file, Level least);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  Journal(Journal&&) = delete;
  Journal& operator=(Journal&&) = delete;

  /// One line, written when it ends.
  class Line {
   public:
    Line(Journal* journal, Level level, std::string_view event,
         std::initializer_list<std::pair<std::string_view, std::string_view>> texts);
    ~Line();
    Line(const Line&) = delete;
    Line& operator=(const Line&) = delete;
    Line(Line&&) = delete;
    Line& operator=(Line&&) = delete;

    Line& with(std::string_view name, std::string_view text);
    Line& with(std::string_view name, std::uint64_t number);
    Line& with_seconds(std::string_view name, double seconds);

   private:
    Journal* journal_;  // nothing: it is left out
    std::string text_;
  };

  /// `always`: it is never left out because there are many.
  Line line(Level level, std::string_view event, bool always = false);

  /// What an administrator did is written whatever the level; where nobody knows whether it was
  /// done, that is said.
  enum class Done : std::uint8_t { kYes, kUnknown };
  Line audit(std::string_view act, std::string_view by, std::string_view request,
             Done done = Done::kYes);

  /// Opens the file again, so that it can be moved away.
  void reopen();

 private:
  struct Kind {
    std::chrono::steady_clock::time_point second;
    std::uint64_t lines = 0;
    std::uint64_t left_out = 0;
  };
  bool may_write(std::string_view event, std::uint64_t& left_out);
  void write(const std::string& text);

  std::string file_;
  Level least_;
  std::mutex mutex_;
  int descriptor_ = 2;
  std::uint64_t unread_ = 0;  // lines for which there was no room
  bool told_ = false;         // that it cannot be written
  std::map<std::string, Kind, std::less<>> kinds_;
};

/// "error", "warning" or "info"; nothing where it is another.
std::optional<Journal::Level> find_level(std::string_view text);

/// Tells texts apart without saying them: the beginning of a hash.
std::string hash_for_log(std::string_view text);

}  // namespace dcmrank::service
