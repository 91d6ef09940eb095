#include "dcmrank/terminal/options.h"

#include <cstdio>
#include <filesystem>
#include <map>
#include <stdexcept>

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/manual/offer.h"
#include "dcmrank/terminal/tell.h"

namespace dcmrank::command {
namespace {

enum class Role : std::uint8_t { kRead, kWritten };

// What this process reads and writes, by the file behind the name.
void claim(const std::string& path, Role role) {
  static std::map<std::filesystem::path, Role> claimed;
  if (path == "-") return;
  std::error_code ignored;
  const auto type = std::filesystem::status(path, ignored).type();
  if (type != std::filesystem::file_type::regular &&
      type != std::filesystem::file_type::not_found) {
    return;
  }
  const auto file = std::filesystem::weakly_canonical(std::filesystem::absolute(path), ignored);
  const auto [at, first] = claimed.emplace(file, role);
  if (first || (at->second == Role::kRead && role == Role::kRead)) return;
  throw InputError(fmt::format("{} would be {}", quote(path),
                               at->second == role ? "written twice" : "both read and written"));
}

}  // namespace

void add_problem_option(CLI::App& command, std::string& problem, std::string& query) {
  command
      .add_option(
          "--problem", problem,
          "The problem: lb:L=16,K=4,p=0.2,gap=0.15,gamma=0.5 (the class B_LB of Sec. 4.3), a JSON "
          "file {\"attraction\":[...],\"termination\":[...]}, or a model written by 'dcmrank fit'; "
          "- is standard input. Users of other click models: docs/formats.md")
      ->type_name("P")
      ->required();
  command.add_option("--query", query, "The query to use, if the problem is a model of several")
      ->type_name("ID");
}

void add_min_shown_option(CLI::App& command, std::string& min_shown) {
  command
      .add_option("--min-shown", min_shown,
                  "Of a model's query, leave out the items that its log showed fewer than N times: "
                  "their attractions are little more than the prior (default: 0, none)")
      ->type_name("N");
}

std::uint64_t parse_min_shown(const std::string& text) {
  constexpr std::uint64_t kMost = 1'000'000'000'000;
  return text.empty() ? 0 : parse_count("--min-shown", text, kMost, 0);
}

void add_reward_option(CLI::App& command, std::string& reward) {
  manual::offer(
      command.add_option("--reward", reward,
                         "What counts as reward: clicks or satisfaction (default: satisfaction for "
                         "DCM, DBN and SDBN users, clicks for others)"),
      {"clicks", "satisfaction"})
      ->type_name("WHICH");
}

std::uint64_t parse_count(const std::string& option, const std::string& text, std::uint64_t most,
                          std::uint64_t least) {
  const auto value = parse_whole(text);
  if (!value || *value < least || *value > most) {
    throw InputError(fmt::format("{} is {}, not a whole number from {} to {}", option, quote(text),
                                 least, most));
  }
  return *value;
}

unsigned parse_threads(const std::string& text) {
  return text.empty() ? 0 : static_cast<unsigned>(parse_count("--threads", text, kMaxThreads));
}

void create_folder(const std::string& out, const char* file, const char* option) {
  std::error_code error;
  std::filesystem::create_directories(out, error);
  if (error || !std::filesystem::is_directory(out)) {
    throw InputError(fmt::format("{} {}: cannot make the folder", option, quote(out)));
  }
  AtomicFile(std::filesystem::path(out) / file);  // writable?
}

void create_folder_for(const std::string& out, const std::vector<std::string>& files) {
  for (const std::string& file : files) claim_output(std::filesystem::path(out) / file);
  create_folder(out, files.front().c_str());
}

std::uint64_t parse_seed(const std::string& option, const std::string& text) {
  const auto value = parse_unsigned(text);
  if (!value) {
    throw InputError(
        fmt::format("{} is {}, not a whole number from 0 to {}", option, quote(text), UINT64_MAX));
  }
  return *value;
}

bool nobody_reads_stdout() {
  pollfd entry{STDOUT_FILENO, POLLOUT, 0};
  return ::poll(&entry, 1, 0) == 1 && (entry.revents & (POLLERR | POLLHUP)) != 0;
}

Output::Output(const std::string& path) : to_stdout_(path == "-") {
  if (path.empty() || to_stdout_) return;
  claim(path, Role::kWritten);
  file_.emplace(path);
}

void claim_input(const std::string& path) { claim(path, Role::kRead); }
void claim_output(const std::string& path) { claim(path, Role::kWritten); }

void Output::write(const std::string& text) {
  if (file_) {
    file_->write(text);
    file_->commit();
  } else if (to_stdout_) {
    const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
    if (!written || std::fflush(stdout) != 0) throw CannotPrint();
  }
}

void Pieces::write(std::string_view piece) {
  if (!output_->to_stdout()) {
    output_->file().write(piece);
  } else if (std::fwrite(piece.data(), 1, piece.size(), stdout) != piece.size()) {
    throw CannotPrint();
  }
}

void Pieces::finish() {
  if (!output_->to_stdout()) return output_->file().commit();
  if (std::fflush(stdout) != 0) throw CannotPrint();
}

void print_note(const std::string& note) {
  if (!note.empty()) tell("dcmrank: note: {}\n", note);
}

void print_notes(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) print_note(note);
}

void add_latex_option(CLI::App& command, std::string& path) {
  command
      .add_option("--table-latex", path, "Write the table as LaTeX (with booktabs); - is stdout")
      ->type_name("FILE");
}

void add_json_option(CLI::App& command, std::string& path) {
  command
      .add_option("--json", path,
                  "Write the result as JSON; - writes it, and nothing else, to stdout")
      ->type_name("FILE");
}

}  // namespace dcmrank::command
