#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "dcmrank/log/separators.h"
#include "dcmrank/page/impression.h"
#include "dcmrank/page/report.h"
#include "dcmrank/table/columns.h"

namespace dcmrank {

/// Turns lines of one format into impressions, and hands each to the sink. Remembers what spans
/// lines (a session, a page that waits for its clicks), so lines must come in order. One thread at
/// a time. Ours count impressions and clicks in the report; for others, whose impressions are
/// checked, too, whoever reads counts them.
class LogParser {
 public:
  virtual ~LogParser() = default;
  /// A line without its end, of at most kMaxLine bytes of UTF-8 without NUL; kPadding bytes behind
  /// it may be read. What is wrong with it is noted in the report. What is thrown ends the reading:
  /// whoever reads names file, line and format.
  virtual void line(std::string_view line) = 0;
  /// Optional: one or two characters that it splits lines at. Where they are is then known from
  /// looking for newlines, and lines come by split_line.
  virtual std::string_view splits_at() const { return {}; }
  /// As line(), with the places of these characters in it.
  virtual void split_line(std::string_view line, const Separators& /*separators*/) {
    this->line(line);
  }
  /// Instead of line(), for one that no format can look at: overlong, of another encoding, with a
  /// quote that does not end. It was noted; a page that it belongs to lacks it.
  virtual void lost(std::string_view /*line*/) {}
  /// After the last line: hands over the pages that still wait.
  virtual void finish() = 0;
  /// Instead, where the bytes end too early: a page of which a part may be lost is none.
  virtual void cut() { finish(); }
};

/// What a log begins with: whole lines, without their ends and without a byte order mark.
using LogHead = std::span<const std::string_view>;

struct FileFormat;

/// A format of logs. Everything about it is in the file that defines it; to add one of your own,
/// see add_log_format().
struct LogFormat {
  std::string name;
  std::string summary;
  /// Lines whose first field is the same belong together: a log is not cut between them.
  bool sessions = false;
  /// Characters that cannot be part of an id.
  std::string separators;
  std::function<std::unique_ptr<LogParser>(ImpressionSink& sink, LogReport& report)> parser;
  /// Appends the lines of an impression. `session` is its number, from 0.
  void (*write)(const Impression& impression, std::uint64_t session, std::string& out) = nullptr;

  /// Optional: whether a log that begins so is of this format. Others must be named by --format.
  bool (*recognises)(LogHead head) = nullptr;
  /// Optional, for tables, whose columns differ from file to file: how a file that begins so is
  /// read; `parser` is not used then. Throws InputError where the columns are not to be found.
  FileFormat (*of_table)(LogHead head, const Columns& columns) = nullptr;
};

/// How one file is read.
struct FileFormat {
  LogFormat format;              // with the parser for this file
  std::string description;       // "comma, one row per page: query=q, items=docs, clicks=clicked"
  std::size_t header_lines = 0;  // before the first row
  /// What rows that belong together have in common, where several make a page.
  std::function<std::string(std::string_view row)> key = {};
  /// Whether a row goes on in the next line, which only one with a quote may do; `going_on`: it did
  /// in this one. Lines are handed over together then.
  std::function<bool(std::string_view line, bool going_on)> goes_on = {};
  /// Whether a text of several such lines is a row; if not, the quote that joined them was none.
  std::function<bool(std::string_view row)> is_row = {};
  /// What makes it doubtful that the file was meant so, for people.
  std::string doubt = {};
};

extern const LogFormat kYandex2011;
extern const LogFormat kYandex2014;
extern const LogFormat kTsv;
extern const LogFormat kCsv;
extern const LogFormat kJsonl;

/// All formats: the built-in ones, then those that were added, in that order.
std::span<const LogFormat* const> log_formats();

/// Whether it has the name of a built-in one.
bool is_built_in(const LogFormat& format);

/// Makes a copy of the format known to every command that reads or writes logs, and to its --help.
/// Throws InputError where its name is taken or its definition is incomplete. Call it
/// before any use of logs, from one thread.
void add_log_format(const LogFormat& format);

/// format.write(); what it throws is told with the format's name.
void write_impression(const LogFormat& format, const Impression& impression, std::uint64_t session,
                      std::string& out);

/// Throws InputError that lists the known names.
const LogFormat& log_format(std::string_view name);

}  // namespace dcmrank
