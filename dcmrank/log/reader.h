#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dcmrank/log/format.h"
#include "dcmrank/log/impression.h"
#include "dcmrank/log/report.h"
#include "dcmrank/log/source.h"

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

/// A log to be read: files, in order, or a table instead; in parts that can be read independently.
/// The parts depend on the files or the table alone, not on the threads.
struct Log {
  const LogFormat* format = nullptr;
  std::vector<FilePart> files;
  std::uint64_t bytes = 0;      // on the disk, of regular files; of a table its rows
  bool can_read_again = false;  // all files are regular
  std::shared_ptr<const PageTable> table = {};

  std::size_t parts() const { return table ? table->parts() : files.size(); }
};

/// Plain regular files above this size are read in parts of about this size.
inline constexpr std::uint64_t kPartBytes = std::uint64_t{1} << 24U;

/// Throws InputError naming the file that cannot be read. `part_bytes` is for tests.
Log open_log(const std::vector<std::string>& paths, const LogFormat& format,
             std::uint64_t part_bytes = kPartBytes);

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

/// Reads one source as a whole log: what read_log does with a part.
LogReport read_source(Source& source, const LogFormat& format, ImpressionSink& sink, bool strict);

/// Throws InputError unless the report has an impression.
void require_impressions(const LogReport& report);

}  // namespace dcmrank
