#include "dcmrank/sim/run_journal.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <unistd.h>

#include "dcmrank/base/atomic_file.h"
#include "dcmrank/base/error.h"
#include "dcmrank/base/file_error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/sim/curve_steps.h"

namespace dcmrank {

using nlohmann::ordered_json;

namespace {

constexpr const char* kRunsFormat = "dcmrank.runs";

ordered_json header_of(const std::string& program, const Problem& problem,
                       const ExperimentOptions& options) {
  return {{"format", kRunsFormat},  {"version", 1},
          {"program", program},     {"problem", problem_to_json(problem)},
          {"steps", options.steps}, {"seed", options.seed},
          {"delay", options.delay}, {"depth", options.depths}};
}

// What is left of a first line of ours that was cut: no run was kept yet.
bool is_begun_header(const std::string& text) {
  const std::string begin = fmt::format(R"({{"format":"{}")", kRunsFormat);
  const std::size_t common = std::min(begin.size(), text.size());
  return text.compare(0, common, begin, 0, common) == 0 && !ordered_json::accept(text);
}

void check_header(const std::string& path, const std::string& line, const ordered_json& expected) {
  const ordered_json found = ordered_json::parse(line, nullptr, false);
  if (!found.is_object() || found.value("format", ordered_json()) != kRunsFormat) {
    throw InputError(fmt::format("{}: not a file of finished runs (--resume)", path));
  }
  for (const auto& [name, value] : expected.items()) {
    if (found.value(name, ordered_json()) == value) continue;
    if (name == "program") {
      throw InputError(fmt::format(
          "{}: its runs were made by another build of dcmrank; remove it to start over", path));
    }
    throw InputError(fmt::format(
        "{}: its runs belong to another simulation: \"{}\" differs{}", path, name,
        name == "steps" ? "; finished runs cannot go on: to continue with more steps, use "
                          "--save-policies and then --load instead of --resume"
                        : ""));
  }
}

ordered_json line_of(const std::string& policy, std::uint64_t run, const RunTrace& trace) {
  return {{"policy", policy},
          {"run", run},
          {"curve", trace.curve},
          {"reward", trace.reward},
          {"cpu_seconds", trace.cpu_seconds}};
}

std::optional<RunTrace> trace_of(const ordered_json& json, std::size_t steps) {
  try {
    RunTrace trace{json.at("curve").get<std::vector<double>>(), json.at("reward"),
                   json.at("cpu_seconds")};
    if (trace.curve.size() == steps) return trace;
  } catch (const ordered_json::exception&) {
    // Not whole: it is simulated again.
  }
  return std::nullopt;
}

}  // namespace

RunJournal::RunJournal(std::string path, const std::string& program, const Problem& problem,
                       const ExperimentOptions& options)
    : path_(std::move(path)) {
  constexpr mode_t kEverybody = 0666;  // less what the user's mask takes away
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, kEverybody);
  if (descriptor_ < 0) throw FileError("write", path_, errno);
  try {
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      throw InputError(fmt::format("{}: in use by another simulation", path_));
    }
    const ordered_json header = header_of(program, problem, options);
    const std::string text = read_file(path_);
    if (text.find('\n') == std::string::npos) {  // empty, or cut while it was begun
      if (!is_begun_header(text)) check_header(path_, text, header);
      if (::ftruncate(descriptor_, 0) != 0) throw FileError("write", path_, errno);
      append(header.dump());
    } else {
      check_header(path_, text.substr(0, text.find('\n')), header);
      read_lines(text, curve_steps(options.steps).size());
      if (!text.ends_with('\n')) append("");  // the rest of a line that was cut
    }
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

RunJournal::~RunJournal() { ::close(descriptor_); }

void RunJournal::read_lines(const std::string& text, std::size_t steps) {
  const auto lines = split(text, '\n');
  for (std::size_t n = 1; n < lines.size(); ++n) {
    const ordered_json json = ordered_json::parse(lines[n], nullptr, false);
    if (!json.is_object() || !json.contains("policy") || !json["policy"].is_string() ||
        !json.contains("run") || !json["run"].is_number_unsigned()) {
      continue;
    }
    if (auto trace = trace_of(json, steps)) {
      runs_.insert_or_assign({json["policy"], json["run"]}, *std::move(trace));
    }
  }
}

void RunJournal::append(const std::string& line) {
  const std::string bytes = line + "\n";
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = ::write(descriptor_, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      throw std::system_error(errno, std::generic_category(), fmt::format("writing {}", path_));
    }
    done += static_cast<std::size_t>(n);
  }
}

std::optional<RunTrace> RunJournal::take(const std::string& policy, std::uint64_t run) {
  const std::lock_guard lock(mutex_);
  const auto found = runs_.find({policy, run});
  if (found == runs_.end()) return std::nullopt;
  return found->second;
}

bool RunJournal::has(const std::string& policy, std::uint64_t run) {
  const std::lock_guard lock(mutex_);
  return runs_.contains({policy, run});
}

void RunJournal::keep(const std::string& policy, std::uint64_t run, const RunTrace& trace) {
  const std::string line = line_of(policy, run, trace).dump();
  const std::lock_guard lock(mutex_);
  append(line);
}

}  // namespace dcmrank
