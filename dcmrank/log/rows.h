#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dcmrank/log/format.h"
#include "dcmrank/log/lines.h"

namespace dcmrank {

/// The mark that some programs begin a file of UTF-8 with.
inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// The rows of a file: its lines, without those that no format looks at, without a header, and
/// those together that one row spans. One thread at a time.
class Rows {
 public:
  /// `at_start`: the lines are those that the file begins with.
  Rows(Lines& lines, const FileFormat& format, bool at_start)
      : lines_(&lines), format_(&format), headers_(at_start ? format.header_lines : 0) {
    first_ = at_start;
    quiet_ = static_cast<bool>(format.format.of_table);
  }

  /// The next row, valid until the next call; false at the end. Counts lines, and notes what is
  /// wrong with those that are left out.
  bool next(std::string_view& row, LogReport& report) {
    if (!simple_) return next_row(row, report);
    if (!lines_->next(row)) return false;
    line_ = row;
    ++report.lines;
    const bool plain = lines_->plain() && lines_->terminated() && row.size() <= kMaxLine;
    return plain || acceptable(row, report) || next_row(row, report);
  }

  /// Where the separators are in the row returned last, if it is the line as the file has it.
  bool marked(std::string_view row, FieldMarks& marks) const {
    if (row.data() != line_.data() || row.size() != line_.size()) return false;
    marks = lines_->marks();
    return true;
  }

  /// Where the next row begins, in bytes from where the lines do.
  std::uint64_t consumed() const { return lines_->consumed(); }

 private:
  /// More lines than a row has: the quote that began it is a slip of the pen.
  static constexpr std::size_t kMostLines = 100;

  bool next_row(std::string_view& row, LogReport& report);
  bool next_line(std::string_view& line, LogReport& report);
  bool acceptable(std::string_view& line, LogReport& report) const;
  bool join(std::string_view& row, LogReport& report);

  Lines* lines_;
  const FileFormat* format_;
  std::size_t headers_;
  bool first_ = false;
  bool simple_ = false;  // a row is a line, and the first has been read
  bool quiet_ = false;   // carriage returns are usual
  std::string joined_;
  std::string_view line_;  // as it was read last
};

}  // namespace dcmrank
