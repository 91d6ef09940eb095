#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "dcmrank/log/impression.h"
#include "dcmrank/log/source.h"

namespace dcmrank {

/// Longest line that is read: room for the longest list of the longest ids.
inline constexpr std::size_t kMaxLine = (kMaxPositions + 8) * (kMaxId + 1);

/// The lines of a source, in a buffer that only long lines enlarge, up to a fixed size. One thread
/// at a time.
class Lines {
 public:
  explicit Lines(Source& source) : source_(&source), buffer_(kSmall) {}

  /// The next line without its newline, valid until the next call; false at the end. A line above
  /// kMaxLine is cut to kMaxLine + 1 bytes, unless all of it is in the buffer.
  bool next(std::string_view& line) {
    const auto* newline =
        static_cast<const char*>(std::memchr(buffer_.data() + begin_, '\n', filled_ - begin_));
    if (newline == nullptr) return next_across(line);
    take(line, newline);
    return true;
  }

  /// Whether the line returned last ended in a newline.
  bool terminated() const { return terminated_; }

  /// Whether the buffer holds neither a NUL, nor a carriage return, nor a byte above 0x7f; else
  /// lines need a closer look.
  bool plain() const { return plain_; }

  /// Bytes up to the start of the next line.
  std::uint64_t consumed() const { return consumed_; }

 private:
  static constexpr std::size_t kSmall = std::size_t{1} << 16U;  // stays in the cache
  static constexpr std::size_t kBuffer = std::size_t{1} << 20U;
  static_assert(kBuffer > 2 * kMaxLine);

  void take(std::string_view& line, const char* newline) {
    const char* start = buffer_.data() + begin_;
    line = {start, static_cast<std::size_t>(newline - start)};
    begin_ += line.size() + 1;
    consumed_ += line.size() + 1;
  }
  bool next_across(std::string_view& line);
  bool refill();
  bool skip_rest();

  Source* source_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;   // of the next line
  std::size_t filled_ = 0;  // bytes in the buffer
  std::uint64_t consumed_ = 0;
  bool terminated_ = true;
  bool plain_ = true;
};

}  // namespace dcmrank
