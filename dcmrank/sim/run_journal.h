#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "dcmrank/sim/experiment.h"
#include "dcmrank/sim/run.h"

namespace dcmrank {

/// The finished runs of one simulation in a file that grows by one line per run, so that
/// interrupted work resumes from there, even after a crash (docs/formats.md, dcmrank.runs). An
/// incomplete line is ignored.
class RunJournal {
 public:
  /// Opens the file, or begins it; one process at a time. `program` names the build. Throws
  /// InputError where it cannot be written, is something else, or belongs to another simulation or
  /// build.
  RunJournal(std::string path, const std::string& program, const Problem& problem,
             const ExperimentOptions& options);
  ~RunJournal();
  RunJournal(const RunJournal&) = delete;
  RunJournal& operator=(const RunJournal&) = delete;
  RunJournal(RunJournal&&) = delete;
  RunJournal& operator=(RunJournal&&) = delete;

  /// The run, if it is there; any thread may ask.
  std::optional<RunTrace> take(const std::string& policy, std::uint64_t run);
  bool has(const std::string& policy, std::uint64_t run);
  void keep(const std::string& policy, std::uint64_t run, const RunTrace& trace);

 private:
  void read_lines(const std::string& text, std::size_t steps);
  void append(const std::string& line);

  std::string path_;
  int descriptor_ = -1;
  std::mutex mutex_;
  std::map<std::pair<std::string, std::uint64_t>, RunTrace> runs_;
};

}  // namespace dcmrank
