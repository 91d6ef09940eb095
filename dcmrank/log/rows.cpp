#include "dcmrank/log/rows.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "dcmrank/base/utf8.h"

namespace dcmrank {
namespace {

// What stands behind a line that was accepted: a carriage return was cut off it, but is there.
std::string_view line_break(std::string_view line) {
  return *(line.data() + line.size()) == '\r' ? "\r\n" : "\n";
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
  if (take_again(line, report)) return true;
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

// Lines that were given back have been accepted before.
bool Rows::take_again(std::string_view& line, LogReport& report) {
  if (given_back_.empty()) {
    if (again_) report.lines = furthest_;
    again_ = false;
    return false;
  }
  taken_ = std::move(given_back_.front());
  given_back_.pop_front();
  again_ = true;
  report.lines = taken_.number;
  line = std::string_view(taken_.text).substr(0, taken_.size);
  return true;
}

Rows::TakenLine Rows::taken(std::string_view line, const LogReport& report) const {
  TakenLine taken{std::string(line), line.size(), report.lines, consumed()};
  taken.text += line_break(line).front();
  taken.text.append(kPadding, '\0');
  return taken;
}

// What was read behind a line whose quote has no end is read again, as lines of their own.
void Rows::give_back(std::vector<TakenLine> lines, const LogReport& report) {
  if (lines.empty()) return;
  furthest_ = std::max(furthest_, report.lines);
  given_back_.insert(given_back_.begin(), std::make_move_iterator(lines.begin()),
                     std::make_move_iterator(lines.end()));
}

// Reads on to the line in which the row ends.
bool Rows::join(std::string_view& row, LogReport& report) {
  const std::uint64_t first = report.lines;
  const std::size_t first_size = row.size();
  joined_ = row;
  std::string_view break_after = line_break(row);
  std::string_view line;
  std::vector<TakenLine> behind;
  for (std::size_t lines = 1; lines < kMostLines && joined_.size() <= kMaxLine; ++lines) {
    joined_ += break_after;
    if (!next_line(line, report, true)) break;
    break_after = line_break(line);
    joined_ += line;
    behind.push_back(taken(line, report));
    if (format_->goes_on(line, true)) continue;
    if (format_->is_row && !format_->is_row(joined_)) break;
    const std::size_t size = joined_.size();
    joined_.append(kPadding, '\0');
    row = std::string_view(joined_).substr(0, size);
    return true;
  }
  const std::string_view opening = std::string_view(joined_).substr(0, first_size);
  report.note(Skip::kUnclosedQuote, opening, first);
  if (lost_) lost_(opening);
  give_back(std::move(behind), report);
  return false;
}

}  // namespace dcmrank
