#include "dcmrank/terminal/log_options.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "dcmrank/base/choices.h"
#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/manual/offer.h"
#include "dcmrank/terminal/options.h"
#include "dcmrank/terminal/tell.h"

namespace dcmrank::command {
namespace {

// A line for all files of one shape.
void tell_found(const std::vector<FoundShape>& found) {
  std::vector<std::string> told;
  for (const FoundShape& file : found) {
    if (std::find(told.begin(), told.end(), file.shape) != told.end()) continue;
    const auto same = std::count_if(found.begin(), found.end(), [&](const FoundShape& other) {
      return other.shape == file.shape;
    });
    const std::string others = same > 1 ? fmt::format(" and {} more", same - 1) : "";
    tell("dcmrank: {}{}: {}\n", file.path, others, file.shape);
    told.push_back(file.shape);
  }
}

// A file cannot be meant twice.
void refuse_doubles(const std::vector<std::string>& paths) {
  std::error_code ignored;
  for (std::size_t n = 1; n < paths.size(); ++n) {
    if (!std::filesystem::is_regular_file(paths[n], ignored)) continue;
    for (std::size_t m = 0; m < n; ++m) {
      if (std::filesystem::equivalent(paths[m], paths[n], ignored)) {
        throw InputError(fmt::format("LOG: {} is given twice", quote(paths[n])));
      }
    }
  }
}

}  // namespace

void add_format_option(CLI::App& command, std::string& format, const char* which) {
  std::string help = which;
  for (const LogFormat* known : log_formats())
    help += fmt::format(" {} ({});", known->name, known->summary);
  help.pop_back();
  manual::offer(command.add_option("--format", format, help)->type_name("F"),
                names_of(log_formats(), &LogFormat::name));
}

void add_shape_options(CLI::App& command, std::string& format, std::string& columns) {
  add_format_option(command, format, "The format of the log (default: detected):");
  command
      .add_option(
          "--columns", columns,
          "Which column of a table, or path in JSON lines, holds what. With one row per page: "
          "query, items, clicks; with one row per item: query, item, click, and position, page or "
          "session. NAME* stands for NAME1, NAME2, ... (default: columns with the usual names)")
      ->type_name("ROLE=NAME,...");
}

void add_log_options(CLI::App& command, LogArguments& arguments) {
  command
      .add_option(
          "LOG", arguments.paths,
          "Click logs, plain or compressed (gzip, Zstandard, xz, bzip2); - is standard input")
      ->type_name("FILE");
  add_shape_options(command, arguments.format, arguments.columns);
  command
      .add_option("--threads", arguments.threads,
                  "Threads (default: all cores); the result is the same for any number")
      ->type_name("N");
  command.add_flag("--strict", arguments.strict,
                   "Stop at the first malformed line instead of skipping and counting it");
}

Log open_log(const LogArguments& arguments, const Context& context) {
  if (arguments.paths.empty()) throw InputError("no LOG is given");
  if (std::count(arguments.paths.begin(), arguments.paths.end(), "-") > 1) {
    throw InputError("standard input (-) is given twice");
  }
  refuse_doubles(arguments.paths);
  for (const std::string& path : arguments.paths) claim_input(path);
  const LogFormat* format = arguments.format.empty() ? nullptr : &log_format(arguments.format);
  Log log =
      dcmrank::open_log(arguments.paths, {format, Columns::parse(arguments.columns), context.stop});
  tell_found(log.found);
  return log;
}

ReadOptions read_options(const LogArguments& arguments, const Context& context) {
  ReadOptions options;
  options.strict = arguments.strict;
  options.control.stop = context.stop;
  if (!arguments.threads.empty()) {
    options.threads =
        static_cast<unsigned>(parse_count("--threads", arguments.threads, kMaxThreads));
  }
  return options;
}

void warn_of_skipped(const LogReport& report) {
  for (std::size_t r = 0; r < kSkips; ++r) {
    if (report.skipped[r] == 0) continue;
    const auto reason = static_cast<Skip>(r);
    const bool used = skip_info(reason).kind == SkipKind::kTolerated;
    tell("dcmrank: {} {}; first: {}\n", used ? "tolerated" : "skipped", report.skipped[r],
         describe(report, reason));
  }
}

std::string summary(const LogReport& report) {
  return fmt::format("{} with {} in {}", how_many(report.impressions, "impression"),
                     how_many(report.clicks, "click"), how_many(report.lines, "line"));
}

}  // namespace dcmrank::command
