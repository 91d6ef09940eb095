#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "dcmrank/log/marks.h"
#include "dcmrank/page/impression.h"
#include "dcmrank/source/source.h"

namespace dcmrank {

/// Longest line that is read: room for the longest list of the longest ids.
inline constexpr std::size_t kMaxLine = (kMaxPositions + 8) * (kMaxId + 1);

/// The lines of a source, in a buffer that only long lines enlarge, up to a fixed size. One thread
/// at a time.
class Lines {
 public:
  explicit Lines(Source& source, Separators separators = {})
      : source_(&source), buffer_(kSmall), finder_(separators) {}

  /// The next line without its newline, valid until the next call; false at the end. A line above
  /// kMaxLine is cut to kMaxLine + 1 bytes, unless all of it is in the buffer.
  bool next(std::string_view& line) {
    first_ = mark_;
    if (newline_ == finder_.newlines()) return next_across(line);
    take(line);
    return true;
  }

  /// Where the separators are in the line returned last, if it was not cut.
  FieldMarks marks() const { return {finder_.places() + first_, count_, start_}; }

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

  void take(std::string_view& line) {
    mark_ = finder_.newline(newline_++);
    const std::size_t end = finder_.places()[mark_];
    line = {buffer_.data() + begin_, end - begin_};
    start_ = static_cast<std::uint32_t>(begin_);
    count_ = mark_ - first_;
    ++mark_;
    consumed_ += end + 1 - begin_;
    begin_ = end + 1;
  }
  void look_again();
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
  MarkFinder finder_;        // of the buffer from begin_ on, and of the line returned last
  std::size_t mark_ = 0;     // the first of the next line
  std::size_t newline_ = 0;  // the next
  std::size_t first_ = 0;    // of the line returned last
  std::size_t count_ = 0;    // of its separators
  std::uint32_t start_ = 0;  // of that line in the buffer
};

}  // namespace dcmrank
