#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "dcmrank/log/impression.h"
#include "dcmrank/log/report.h"

namespace dcmrank {

/// Makes impressions of the lines of one format. Keeps what lines have in common (a session, a page
/// that waits for its clicks), so lines come in order. One thread at a time.
class LogParser {
 public:
  virtual ~LogParser() = default;
  /// A line without its end, of at most kMaxLine bytes of UTF-8 without NUL. What is wrong with it
  /// is noted in the report; nothing is thrown.
  virtual void line(std::string_view line) = 0;
  /// After the last line: hands over what still waits.
  virtual void finish() = 0;
};

/// A format of logs. To add one: a file beside yandex2011.cpp that defines it, and a line in
/// format.cpp.
struct LogFormat {
  const char* name;
  const char* summary;
  /// Lines whose first field is the same belong together: a log is not cut between them.
  bool sessions;
  /// Characters that cannot be part of an id.
  const char* separators;
  std::unique_ptr<LogParser> (*parser)(ImpressionSink& sink, LogReport& report);
  /// Appends the lines of an impression. `session` is its number, from 0.
  void (*write)(const Impression& impression, std::uint64_t session, std::string& out);
};

extern const LogFormat kYandex2011;
extern const LogFormat kYandex2014;
extern const LogFormat kTsv;

std::span<const LogFormat* const> log_formats();

/// Throws InputError, with the names that there are.
const LogFormat& log_format(const std::string& name);

}  // namespace dcmrank
