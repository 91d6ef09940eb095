#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dcmrank/log/format.h"
#include "dcmrank/page/impression.h"
#include "dcmrank/page/report.h"
#include "dcmrank/source/source.h"

namespace dcmrank {

/// Pages that are in memory already, a data frame's: in parts that can be read independently, any
/// number of times. Immutable, so threads may share it.
class PageTable {
 public:
  virtual ~PageTable() = default;
  virtual std::size_t parts() const = 0;
  virtual std::uint64_t rows() const = 0;
  /// Hands over the impressions of a part, in order. Throws InputError naming a row that is none,
  /// and Interrupted when the user asked to stop; counts rows in `bytes_done`.
  virtual void read(std::size_t part, ImpressionSink& sink, const ReadControl& control) const = 0;
};

/// A part of a log, and how its file is read.
struct LogPart {
  FilePart file;
  std::shared_ptr<const FileFormat> format;
};

/// What was found out by looking at a file.
struct FoundShape {
  std::string path;
  std::string shape;  // "csv (comma, one row per page: query=q, items=docs, clicks=clicked), gzip"
  std::string doubt = {};  // what makes it doubtful that it was meant so
};

/// A log to be read: files, in order, or a table instead; in parts that can be read independently.
/// The parts depend on the files or the table alone, not on the threads.
struct Log {
  std::vector<LogPart> files;
  std::uint64_t bytes = 0;      // on the disk, of regular files; of a table its rows
  bool can_read_again = false;  // all files are regular
  std::shared_ptr<const PageTable> table = {};
  std::vector<FoundShape> found = {};  // of files of which not all was said

  std::size_t parts() const { return table ? table->parts() : files.size(); }
};

/// What a user says about the files of a log; what they do not say is found out by looking at them.
struct LogShape {
  const LogFormat* format = nullptr;
  Columns columns = {};
  std::stop_token stop = {};  // while the start of a pipe is waited for

  /// Whether nothing is left to find out.
  bool told() const { return format != nullptr && format->of_table == nullptr && columns.empty(); }
};

/// Plain regular files above this size are read in parts of about this size, the last of them
/// smaller, down to a quarter of it.
inline constexpr std::uint64_t kPartBytes = std::uint64_t{1} << 24U;

/// Throws InputError naming the file that cannot be read, or whose format cannot be found out.
/// `part_bytes` is for tests.
Log open_log(const std::vector<std::string>& paths, const LogShape& shape,
             std::uint64_t part_bytes = kPartBytes);
Log open_log(const std::vector<std::string>& paths, const LogFormat& format,
             std::uint64_t part_bytes = kPartBytes);

/// What messages call a file: "stdin" for "-".
std::string shown_path(const std::string& path);

/// Throws std::runtime_error that names the file.
[[noreturn]] void refuse_changed(const std::string& path, const ChangedFile& change);

/// A table as a log.
Log log_of(std::shared_ptr<const PageTable> table);

struct ReadOptions {
  unsigned threads = 0;  // 0: all cores
  bool strict = false;   // InputError at the first fault
  ReadControl control;
};

/// Gives the sink for a part of the log; called from the thread that reads the part, which releases
/// the sink when the part has been read.
using SinkForPart = std::function<std::shared_ptr<ImpressionSink>(std::size_t part)>;

/// Reads the whole log, several parts at a time. Within a part, impressions come in order.
LogReport read_log(const Log& log, const ReadOptions& options, const SinkForPart& sink_for);

/// Reads one source as a whole log: what read_log does with a part. `at_start`: it begins as its
/// file does, with a header if the format has one.
LogReport read_source(Source& source, const FileFormat& format, ImpressionSink& sink, bool strict,
                      bool at_start = true);
LogReport read_source(Source& source, const LogFormat& format, ImpressionSink& sink, bool strict);

/// Throws InputError where the report has no impression, saying why as often as it did happen, and
/// where so many pages did not stand together that what was read is not what was logged.
void require_impressions(const LogReport& report);

}  // namespace dcmrank
