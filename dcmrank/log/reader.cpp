#include "dcmrank/log/reader.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/parallel.h"
#include "dcmrank/base/text.h"
#include "dcmrank/log/guarded_parser.h"
#include "dcmrank/log/lines.h"
#include "dcmrank/log/rows.h"
#include "dcmrank/table/table_layout.h"

namespace dcmrank {
namespace {

void read_rows(Rows& rows, GuardedParser& parser, LogReport& report, bool strict) {
  const bool split = !parser.splits_at().empty();
  rows.on_lost([&](std::string_view line) { parser.lost(line); });
  std::string_view row;
  std::uint64_t notes = report.notes;
  while (rows.next(row, report)) {
    if (split) {
      parser.split_line(row, rows.separators(row));
    } else {
      parser.line(row);
    }
    if (notes == report.notes) continue;
    notes = report.notes;
    if (strict && report.first_fault()) return;
  }
}

// What became of a part of a log.
struct PartResult {
  LogReport report;
  std::optional<ParserError> thrown;

  bool stops(bool strict) const { return thrown || (strict && report.first_fault()); }
};

// The message of a part at which reading stops; `lines_before` lines of its file were read before.
[[noreturn]] void stop_at(PartResult& part, const std::string& file, std::uint64_t lines_before) {
  if (part.thrown) {
    const std::uint64_t line = part.thrown->line();
    const std::string at = line == 0 ? file : fmt::format("{}:{}", file, lines_before + line);
    throw InputError(fmt::format("{}: {}", at, part.thrown->said()));
  }
  const Skip fault = *part.report.first_fault();
  part.report.first[static_cast<std::size_t>(fault)]->line += lines_before;
  throw InputError(describe(part.report, fault));
}

// Reports of parts in order, with the names of the files and lines counted through each file.
LogReport combine(const Log& log, std::vector<PartResult>& parts, bool strict) {
  LogReport all;
  std::uint64_t lines_before = 0;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    LogReport& report = parts[p].report;
    const std::string file = shown_path(log.files[p].file.path);
    for (auto& example : report.first) {
      if (example) example->file = file;
    }
    if (log.files[p].file.begin == 0) lines_before = 0;
    if (parts[p].stops(strict)) stop_at(parts[p], file, lines_before);
    all.append(report, lines_before);
    lines_before += report.lines;
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

Log log_of(std::shared_ptr<const PageTable> table) {
  const std::uint64_t rows = table->rows();
  return {{}, rows, true, std::move(table)};
}

LogReport read_source(Source& source, const FileFormat& format, ImpressionSink& sink, bool strict,
                      bool at_start) {
  LogReport report;
  GuardedParser parser(format.format, sink, report);
  Lines lines(source, parser.splits_at());
  Rows rows(lines, format, at_start);
  try {
    read_rows(rows, parser, report, strict);
    parser.finish();
  } catch (const ChangedFile&) {
    throw;  // what the sink was given may be wrong
  } catch (const DamagedFile& damage) {
    report.note(Skip::kDamagedFile, damage.what());
    parser.cut();
  }
  if (report.lines == 0 && report.count(Skip::kDamagedFile) == 0) {
    report.note(Skip::kEmptyFile, "");
  }
  return report;
}

LogReport read_source(Source& source, const LogFormat& format, ImpressionSink& sink, bool strict) {
  return read_source(source, FileFormat{format, {}}, sink, strict);
}

LogReport read_log(const Log& log, const ReadOptions& options, const SinkForPart& sink_for) {
  if (log.table) return read_table(*log.table, options, sink_for);
  std::vector<PartResult> parts(log.files.size());
  std::atomic<std::size_t> last = parts.size();  // what comes after a fault is not read
  parallel_for(parts.size(), resolve_threads(options.threads), [&](std::size_t p) {
    if (p > last) return;
    const LogPart& part = log.files[p];
    const auto source = open_source(part.file, options.control);
    const auto sink = sink_for(p);
    try {
      parts[p].report =
          read_source(*source, *part.format, *sink, options.strict, part.file.begin == 0);
    } catch (const ParserError& error) {
      parts[p].thrown = error;
    } catch (const ChangedFile& change) {
      refuse_changed(part.file.path, change);
    }
    if (!parts[p].stops(options.strict)) return;
    for (std::size_t seen = last; p < seen && !last.compare_exchange_weak(seen, p);) {
    }
  });
  return combine(log, parts, options.strict);
}

namespace {

// A page that is scattered was counted without some of its rows.
void refuse_many_scattered(const LogReport& report) {
  constexpr std::uint64_t kOneIn = 100;  // impressions
  const std::uint64_t scattered = report.count(Skip::kScatteredPage);
  if (scattered * kOneIn <= report.impressions) return;
  throw InputError(fmt::format(
      "the rows of its pages do not stand together: {} were left out because their page "
      "had come before, so pages were cut into pieces; sort the file by page; first: {}",
      how_many(scattered, "run of rows", "runs of rows"), describe(report, Skip::kScatteredPage)));
}

// Where rows are sorted by their clicks, only pages with clicks are in pieces: few, of a log with
// few clicks.
void refuse_many_falling(const LogReport& report) {
  constexpr std::uint64_t kOneIn = 100;  // impressions
  constexpr std::uint64_t kOneInClicks = 10;
  const std::uint64_t falls = report.count(Skip::kFallingPositions);
  const bool of_clicks = report.clicks > 0 && falls * kOneInClicks > report.clicks;
  if (falls * kOneIn > report.impressions || of_clicks) {
    throw InputError(fmt::format(
        "the rows of its pages do not stand in the order of their positions: {} may be of one page "
        "with what comes before, so pages were cut into pieces; {}; first: {}",
        how_many(falls, "run of rows", "runs of rows"), kSortByPosition,
        describe(report, Skip::kFallingPositions)));
  }
  if (are_mostly_lone(report.lone, report.impressions)) {
    throw InputError(fmt::format(
        "the rows of its pages do not stand together: {} of {} would be one item which is not at "
        "the top; {}",
        report.lone, how_many(report.impressions, "page"), kSortByPosition));
  }
}

}  // namespace

void require_impressions(const LogReport& report) {
  if (report.impressions > 0) {
    refuse_many_scattered(report);
    return refuse_many_falling(report);
  }
  std::vector<std::size_t> reasons;
  for (std::size_t r = 0; r < kSkips; ++r) {
    if (report.skipped[r] > 0) reasons.push_back(r);
  }
  std::stable_sort(reasons.begin(), reasons.end(), [&](std::size_t a, std::size_t b) {
    return report.skipped[a] > report.skipped[b];
  });
  constexpr std::size_t kMost = 3;
  std::string why;
  for (const std::size_t r : std::span(reasons).first(std::min(kMost, reasons.size()))) {
    why += fmt::format("; {} x {}", report.skipped[r], describe(report, static_cast<Skip>(r)));
  }
  throw InputError(
      fmt::format("the log has no usable impression ({}){}", how_many(report.lines, "line"), why));
}

}  // namespace dcmrank
