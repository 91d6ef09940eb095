#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

namespace dcmrank::testing {

/// A folder that is removed with all it holds.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// What a finished process left: its exit status (128 + signal where a signal ended it) and what it
/// wrote.
struct Outcome {
  int status = 0;
  std::string out;
  std::string err;
  long peak_kilobytes = 0;  // of memory
};

/// A running process whose output is collected in files. With `terminal`, its stderr is a
/// pseudo-terminal.
class Process {
 public:
  enum class Stderr { kFile, kTerminal };
  Process(const std::vector<std::string>& command, const std::filesystem::path& directory,
          const std::string& input = "", Stderr kind = Stderr::kFile);
  void signal(int number) const;
  pid_t pid() const { return pid_; }
  /// What it wrote so far, and whether it still runs.
  std::string out() const;
  std::string err() const;
  bool running() const;
  Outcome wait();

 private:
  TemporaryFolder folder_;
  pid_t pid_ = -1;
  int terminal_ = -1;
};

std::string read(const std::filesystem::path& file);
void write(const std::filesystem::path& file, const std::string& text);

}  // namespace dcmrank::testing
