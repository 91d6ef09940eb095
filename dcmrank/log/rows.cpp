#include "dcmrank/log/rows.h"

#include "dcmrank/base/utf8.h"

namespace dcmrank {
namespace {

// What stands behind a line that was accepted: a carriage return was cut off it, but is there.
std::string_view line_break(std::string_view line) {
  return line.data()[line.size()] == '\r' ? "\r\n" : "\n";
}

}  // namespace

// Whether every carriage return in the line stands within quotes, where it is text.
bool Rows::returns_are_quoted(std::string_view line, bool going_on) const {
  if (!format_->goes_on) return false;
  for (std::size_t at = line.find('\r'); at != std::string_view::npos;
       at = line.find('\r', at + 1)) {
    if (!format_->goes_on(line.substr(0, at), going_on)) return false;
  }
  return true;
}

// What a line must be before its format looks at it. Cuts a carriage return off.
bool Rows::acceptable(std::string_view& line, LogReport& report, bool going_on) const {
  const auto refuse = [&](Skip reason) {
    report.note(reason, line);
    if (lost_) lost_(line);
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
  if (line.find('\r') != std::string_view::npos && !returns_are_quoted(line, going_on)) {
    return refuse(Skip::kStrayReturn);
  }
  return is_utf8(line) || refuse(Skip::kNotUtf8);
}

bool Rows::next_line(std::string_view& line, LogReport& report, bool going_on) {
  while (lines_->next(line)) {
    ++report.lines;
    if (first_ && line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
    first_ = false;
    if (headers_ > 0) {
      --headers_;
    } else if (acceptable(line, report, going_on)) {
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
  std::string_view break_after = line_break(row);
  std::string_view line;
  for (std::size_t lines = 1; lines < kMostLines && joined_.size() <= kMaxLine; ++lines) {
    joined_ += break_after;
    if (!next_line(line, report, true)) break;
    break_after = line_break(line);
    joined_ += line;
    if (format_->goes_on(line, true)) continue;
    const std::size_t size = joined_.size();
    joined_.append(kPadding, '\0');
    row = std::string_view(joined_).substr(0, size);
    return true;
  }
  report.note(Skip::kUnclosedQuote, joined_);
  if (lost_) {  // the pages at both ends lack rows
    const std::string_view all = joined_;
    lost_(all.substr(0, all.find('\n')));
    lost_(all.substr(all.rfind('\n') + 1));
  }
  return false;
}

}  // namespace dcmrank
