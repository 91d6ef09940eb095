#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "dcmrank/log/newlines.h"
#include "dcmrank/page/fields.h"
#include "dcmrank/page/impression.h"
#include "dcmrank/source/source.h"

namespace dcmrank {

/// Longest line that is read: room for the longest list of the longest ids.
inline constexpr std::size_t kMaxLine = (kMaxPositions + 8) * (kMaxId + 1);

/// The lines of a source, in a buffer that only long lines enlarge, up to a fixed size. One thread
/// at a time.
class Lines {
 public:
  /// `separators`: up to two characters whose places in each line are told.
  explicit Lines(Source& source, std::string_view separators = {})
      : source_(&source), buffer_(kSmall + kPadding), newlines_(separators) {}

  /// The next line without its newline, valid until the next call, with kPadding bytes behind it
  /// that may be read; false at the end. A line above kMaxLine is cut to kMaxLine + 1 bytes, unless
  /// all of it is in the buffer.
  bool next(std::string_view& line) {
    if (newline_ == newlines_.size()) return next_across(line);
    take(line);
    return true;
  }

  /// Where the separators are in a part of the line returned last, unless it was cut.
  Separators separators(std::string_view line) const {
    return newlines_.separators(line, static_cast<std::size_t>(line.data() - buffer_.data()));
  }

  /// Whether the line returned last ended in a newline.
  bool terminated() const { return terminated_; }

  /// Whether the buffer holds neither a NUL, nor a carriage return, nor a byte above 0x7f; else
  /// lines need a closer look.
  bool plain() const { return !odd_.strange; }

  /// Whether the buffer may hold a quote.
  bool quotes() const { return odd_.quotes; }

  /// Bytes up to the start of the next line.
  std::uint64_t consumed() const { return consumed_; }

 private:
  static constexpr std::size_t kSmall = std::size_t{1} << 16U;  // stays in the cache
  static constexpr std::size_t kBuffer = std::size_t{1} << 20U;
  static_assert(kBuffer > 2 * kMaxLine);

  void take(std::string_view& line) {
    const std::size_t end = newlines_[newline_++];
    line = {buffer_.data() + begin_, end - begin_};
    consumed_ += end + 1 - begin_;
    begin_ = end + 1;
  }
  std::size_t room() const { return buffer_.size() - kPadding; }
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
  Oddities odd_;             // of the buffer
  Newlines newlines_;        // of the buffer
  std::size_t newline_ = 0;  // the next of them
};

}  // namespace dcmrank
