#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json_fwd.hpp>

#include "dcmrank/base/atomic_file.h"

namespace dcmrank::command {

/// Options that several commands share are declared and checked here.

/// --problem P, required, and --query ID for problems that are model files.
void add_problem_option(CLI::App& command, std::string& problem, std::string& query);

/// --min-shown N, of a model's items, as text; empty for 0.
void add_min_shown_option(CLI::App& command, std::string& min_shown);
std::uint64_t parse_min_shown(const std::string& text);

/// --reward clicks|satisfaction; empty for what is usual for the users' model.
void add_reward_option(CLI::App& command, std::string& reward);

/// A count from `least` to `most`, written 100000 or 1e5. Throws InputError naming the option.
std::uint64_t parse_count(const std::string& option, const std::string& text, std::uint64_t most,
                          std::uint64_t least = 1);

/// The most that --threads takes.
inline constexpr std::uint64_t kMaxThreads = 1024;

/// --threads; 0, for all cores, where it was not given.
unsigned parse_threads(const std::string& text);

/// Makes the folder of --out. Throws InputError if it cannot be made or a file cannot be written
/// in it.
void create_folder(const std::string& out, const char* file, const char* option = "--out");
/// The same, of a folder for these files, which are claimed as outputs.
void create_folder_for(const std::string& out, const std::vector<std::string>& files);

/// A whole number of 64 bits. Throws InputError naming the option.
std::uint64_t parse_seed(const std::string& option, const std::string& text);

/// What was printed did not arrive.
class CannotPrint : public std::runtime_error {
 public:
  CannotPrint() : std::runtime_error("cannot write to stdout") {}
};

/// Whether nobody reads stdout any more: a pipe to a program that has ended, such as head.
bool nobody_reads_stdout();

/// Where a result goes: nowhere (empty), stdout ("-"), or a file that is opened now and appears
/// whole when it is written.
class Output {
 public:
  explicit Output(const std::string& path);
  bool to_stdout() const { return to_stdout_; }
  explicit operator bool() const { return to_stdout_ || file_.has_value(); }
  void write(const std::string& text);
  AtomicFile& file() { return *file_; }

 private:
  bool to_stdout_;
  std::optional<AtomicFile> file_;
};

/// Writes a large result piece by piece: to a file that appears when it is whole, or to stdout.
class Pieces {
 public:
  explicit Pieces(Output& output) : output_(&output) {}
  void write(std::string_view piece);
  void finish();

 private:
  Output* output_;
};

/// Says that a command reads this file. A file that one command both reads and writes, or writes
/// twice, would be lost: whichever comes second throws InputError. Pipes, devices and - may be
/// both.
void claim_input(const std::string& path);
/// The same of a file that is written by other means than Output.
void claim_output(const std::string& path);

/// Prints a note on stderr, if there is one.
void print_note(const std::string& note);
void print_notes(const std::vector<std::string>& notes);

/// --table-latex FILE.
void add_latex_option(CLI::App& command, std::string& path);

/// --json FILE.
void add_json_option(CLI::App& command, std::string& path);

}  // namespace dcmrank::command
