#include "dcmrank/log/reader.h"

#include <atomic>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/parallel.h"
#include "dcmrank/base/utf8.h"
#include "dcmrank/log/fields.h"
#include "dcmrank/log/lines.h"

namespace dcmrank {
namespace {

namespace fs = std::filesystem;

// What a line must be before its format looks at it. Cuts a carriage return off.
bool acceptable(const Lines& lines, std::string_view& line, LogReport& report) {
  const auto refuse = [&](Skip reason) {
    report.note(reason, line);
    return false;
  };
  if (line.size() > kMaxLine) return refuse(Skip::kLongLine);
  if (!lines.terminated()) report.note(Skip::kNoNewline, line);
  if (!line.empty() && line.back() == '\r') {
    line.remove_suffix(1);
    report.note(Skip::kCarriageReturn, line);
  }
  if (lines.plain()) return true;
  if (line.find('\0') != std::string_view::npos) return refuse(Skip::kNulByte);
  if (line.find('\r') != std::string_view::npos) return refuse(Skip::kStrayReturn);
  return is_utf8(line) || refuse(Skip::kNotUtf8);
}

// The session of the next line that has one; what no parser would look at has none.
bool next_session(Lines& lines, std::string_view& session) {
  LogReport ignored;
  std::string_view line;
  while (lines.next(line)) {
    if (!acceptable(lines, line, ignored)) continue;
    if (cut_field(line, '\t', session)) return true;
  }
  return false;
}

// The first place at or after `from` where a log can be cut: the start of a line that, where the
// format has sessions, is of another session than the lines before it.
std::uint64_t cut_after(const std::string& path, std::uint64_t from, const LogFormat& format) {
  const auto source = open_source({path, from, UINT64_MAX}, {});
  Lines lines(*source);
  std::string_view text;
  if (!lines.next(text)) return from;  // the rest of a line that began before
  if (!format.sessions) return from + lines.consumed();
  if (!next_session(lines, text)) return from + lines.consumed();
  const std::string session(text);
  for (;;) {
    const std::uint64_t start = lines.consumed();
    if (!next_session(lines, text) || text != session) return from + start;
  }
}

void add_parts(const std::string& path, const LogFormat& format, std::uint64_t size,
               std::uint64_t part_bytes, std::vector<FilePart>& parts) {
  std::uint64_t begin = 0;
  while (size - begin > part_bytes + part_bytes / 2) {
    const std::uint64_t end = cut_after(path, begin + part_bytes, format);
    if (end >= size) break;
    parts.push_back({path, begin, end});
    begin = end;
  }
  parts.push_back({path, begin, UINT64_MAX});
}

// Hands impressions on, and adds them to the fingerprint of the log.
class Fingerprinting : public ImpressionSink {
 public:
  Fingerprinting(ImpressionSink& sink, LogReport& report) : sink_(&sink), report_(&report) {}

  void add(const Impression& impression) override {
    report_->fingerprint += hash_of(impression);
    sink_->add(impression);
  }

 private:
  ImpressionSink* sink_;
  LogReport* report_;
};

void read_lines(Lines& lines, LogParser& parser, LogReport& report, bool strict) {
  std::string_view line;
  while (lines.next(line)) {
    ++report.lines;
    if (acceptable(lines, line, report)) parser.line(line);
    if (strict && report.first_fault()) return;
  }
}

// Reports of parts in order, with the names of the files and lines counted through each file.
LogReport combine(const Log& log, std::vector<LogReport>& reports, bool strict) {
  LogReport all;
  std::uint64_t lines_before = 0;
  for (std::size_t p = 0; p < reports.size(); ++p) {
    for (auto& example : reports[p].first) {
      if (example) example->file = log.files[p].path == "-" ? "stdin" : log.files[p].path;
    }
    if (log.files[p].begin == 0) lines_before = 0;
    if (const auto fault = reports[p].first_fault(); strict && fault) {
      reports[p].first[static_cast<std::size_t>(*fault)]->line += lines_before;
      throw InputError(describe(reports[p], *fault));
    }
    all.append(reports[p], lines_before);
    lines_before += reports[p].lines;
  }
  return all;
}

// What parsers note in a report, for pages that need no parser.
class CountingPages : public ImpressionSink {
 public:
  CountingPages(ImpressionSink& sink, LogReport& report) : sink_(&sink), report_(&report) {}

  void add(const Impression& impression) override {
    ++report_->lines;
    ++report_->impressions;
    for (const std::uint8_t click : impression.clicks) report_->clicks += click != 0 ? 1 : 0;
    sink_->add(impression);
  }

 private:
  ImpressionSink* sink_;
  LogReport* report_;
};

LogReport read_table(const PageTable& table, const ReadOptions& options,
                     const SinkForPart& sink_for) {
  std::vector<LogReport> reports(table.parts());
  parallel_for(table.parts(), resolve_threads(options.threads), [&](std::size_t p) {
    const auto sink = sink_for(p);
    Fingerprinting fingerprinting(*sink, reports[p]);
    CountingPages counting(fingerprinting, reports[p]);
    table.read(p, counting, options.control);
  });
  LogReport all;
  for (const LogReport& report : reports) all.append(report, all.lines);
  return all;
}

}  // namespace

Log open_log(const std::vector<std::string>& paths, const LogFormat& format,
             std::uint64_t part_bytes) {
  Log log{&format, {}, 0, true};
  for (const std::string& path : paths) {
    // Refuses what cannot be read, and reads nothing. A pipe can be opened only once.
    std::error_code unknown;
    if (!fs::is_fifo(path, unknown)) open_source({path, 0, 0}, {});
    const bool regular = path != "-" && fs::is_regular_file(path);
    const std::uint64_t size = regular ? fs::file_size(path) : 0;
    log.bytes += size;
    log.can_read_again = log.can_read_again && regular;
    if (regular && size > part_bytes && compression_of(path) == Compression::kNone) {
      add_parts(path, format, size, part_bytes, log.files);
    } else {
      log.files.push_back({path, 0, UINT64_MAX});
    }
  }
  return log;
}

Log log_of(std::shared_ptr<const PageTable> table) {
  const std::uint64_t rows = table->rows();
  return {nullptr, {}, rows, true, std::move(table)};
}

LogReport read_source(Source& source, const LogFormat& format, ImpressionSink& sink, bool strict) {
  LogReport report;
  Lines lines(source);
  Fingerprinting fingerprinting(sink, report);
  const auto parser = format.parser(fingerprinting, report);
  try {
    read_lines(lines, *parser, report, strict);
  } catch (const DamagedFile& damage) {
    report.note(Skip::kDamagedFile, damage.what());
  }
  parser->finish();
  if (report.lines == 0 && report.count(Skip::kDamagedFile) == 0) {
    report.note(Skip::kEmptyFile, "");
  }
  return report;
}

LogReport read_log(const Log& log, const ReadOptions& options, const SinkForPart& sink_for) {
  if (log.table) return read_table(*log.table, options, sink_for);
  std::vector<LogReport> reports(log.files.size());
  std::atomic<std::size_t> last = log.files.size();  // what comes after a fault is not read
  parallel_for(log.files.size(), resolve_threads(options.threads), [&](std::size_t p) {
    if (p > last) return;
    const auto source = open_source(log.files[p], options.control);
    const auto sink = sink_for(p);
    reports[p] = read_source(*source, *log.format, *sink, options.strict);
    if (options.strict && reports[p].first_fault() && p < last) last = p;
  });
  return combine(log, reports, options.strict);
}

void require_impressions(const LogReport& report) {
  if (report.impressions > 0) return;
  std::string why;
  for (std::size_t r = 0; r < kSkips && why.empty(); ++r) {
    if (report.skipped[r] > 0) why = "; " + describe(report, static_cast<Skip>(r));
  }
  throw InputError(fmt::format("the log has no usable impression ({} lines){}", report.lines, why));
}

}  // namespace dcmrank
