#include "dcmrank/log/rows.h"

#include "dcmrank/base/utf8.h"

namespace dcmrank {

// What a line must be before its format looks at it. Cuts a carriage return off.
bool Rows::acceptable(std::string_view& line, LogReport& report) const {
  const auto refuse = [&](Skip reason) {
    report.note(reason, line);
    return false;
  };
  if (line.size() > kMaxLine) return refuse(Skip::kLongLine);
  if (!lines_->terminated() && !ends_anyhow_) report.note(Skip::kNoNewline, line);
  if (!line.empty() && line.back() == '\r') {
    line.remove_suffix(1);
    if (!table_) report.note(Skip::kCarriageReturn, line);
  }
  if (lines_->plain()) return true;
  if (line.find('\0') != std::string_view::npos) return refuse(Skip::kNulByte);
  if (line.find('\r') != std::string_view::npos) return refuse(Skip::kStrayReturn);
  return is_utf8(line) || refuse(Skip::kNotUtf8);
}

bool Rows::next_line(std::string_view& line, LogReport& report) {
  while (lines_->next(line)) {
    ++report.lines;
    if (first_ && line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
    first_ = false;
    if (headers_ > 0) {
      --headers_;
    } else if (acceptable(line, report)) {
      return true;
    }
  }
  return false;
}

bool Rows::next_row(std::string_view& row, LogReport& report) {
  begun_ = true;
  while (next_line(row, report)) {
    if (complete(row, report)) return true;
  }
  return false;
}

// Reads on to the line in which the row ends.
bool Rows::join(std::string_view& row, LogReport& report) {
  joined_ = row;
  std::string_view line;
  for (std::size_t lines = 1; lines < kMostLines && joined_.size() <= kMaxLine; ++lines) {
    if (!next_line(line, report)) break;
    joined_ += '\n';
    joined_ += line;
    if (format_->goes_on(line, true)) continue;
    const std::size_t size = joined_.size();
    joined_.append(kPadding, '\0');
    row = std::string_view(joined_).substr(0, size);
    return true;
  }
  report.note(Skip::kUnclosedQuote, joined_);
  return false;
}

}  // namespace dcmrank
