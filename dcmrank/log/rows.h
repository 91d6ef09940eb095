#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dcmrank/log/format.h"
#include "dcmrank/log/lines.h"

namespace dcmrank {

/// The rows of a file: its lines, without those that no format looks at, without a header, and
/// those together that one row spans. One thread at a time.
class Rows {
 public:
  /// `at_start`: the lines are those that the file begins with.
  Rows(Lines& lines, const FileFormat& format, bool at_start)
      : lines_(&lines),
        format_(&format),
        headers_(at_start ? format.header_lines : 0),
        first_(at_start),
        table_(format.format.of_table != nullptr),
        ends_anyhow_(table_ && !format.key) {}

  /// The next row, valid until the next call, with kPadding bytes behind it that may be read; false
  /// at the end. Counts lines, and notes what is wrong with those that are left out.
  bool next(std::string_view& row, LogReport& report) {
    if (!begun_ || again_) return next_row(row, report);
    if (!lines_->next(row)) return false;
    ++report.lines;
    const bool plain = lines_->plain() && lines_->terminated() && row.size() <= kMaxLine;
    return ((plain || acceptable(row, report)) && complete(row, report)) || next_row(row, report);
  }

  /// Calls back with each line that is noted and left out.
  void on_lost(std::function<void(std::string_view line)> told) { lost_ = std::move(told); }

  /// Where the separators of the lines are in the row returned last, if it is one line.
  Separators separators(std::string_view row) const { return lines_->separators(row); }

  /// Where the next row begins, in bytes from where the lines do.
  std::uint64_t consumed() const { return again_ ? taken_.consumed : lines_->consumed(); }

 private:
  /// More lines than a row has: the quote that began it is a slip of the pen.
  static constexpr std::size_t kMostLines = 100;

  /// A line that was read as part of a row which was none: it is read again.
  struct TakenLine {
    std::string text;  // with what ended it, and padding
    std::size_t size = 0;
    std::uint64_t number = 0;
    std::uint64_t consumed = 0;  // behind it
  };

  // The whole of a row that begins with this line; false where it has no end.
  bool complete(std::string_view& row, LogReport& report) {
    if (!format_->goes_on || !lines_->quotes()) return true;
    return !format_->goes_on(row, false) || join(row, report);
  }
  bool next_row(std::string_view& row, LogReport& report);
  bool next_line(std::string_view& line, LogReport& report, bool going_on = false);
  bool acceptable(std::string_view& line, LogReport& report, bool going_on = false) const;
  bool returns_are_quoted(std::string_view line, bool going_on) const;
  bool join(std::string_view& row, LogReport& report);
  bool take_again(std::string_view& line, LogReport& report);
  TakenLine taken(std::string_view line, const LogReport& report) const;
  void give_back(std::vector<TakenLine> lines, const LogReport& report);

  Lines* lines_;
  const FileFormat* format_;
  std::size_t headers_;
  bool first_;
  bool begun_ = false;  // headers have been read
  bool table_;          // carriage returns are usual
  /// A table with one row per page: its last line often has no end. Where several rows make a page,
  /// it may be a sign that the last page is cut.
  bool ends_anyhow_;
  std::string joined_;
  std::deque<TakenLine> given_back_;
  TakenLine taken_;             // of these, the one that was returned last
  bool again_ = false;          // it was the last line of all that were returned
  std::uint64_t furthest_ = 0;  // lines that were read, some of which are read again
  std::function<void(std::string_view line)> lost_;
};

}  // namespace dcmrank
