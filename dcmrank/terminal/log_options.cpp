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
    if (!file.doubt.empty()) tell("dcmrank: {}: {}\n", file.path, file.doubt);
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

namespace {

// What a share of the lines that is not small was lost by, and what may be done.
void tell_losses(const LogReport& report) {
  constexpr std::uint64_t kOneIn = 100;
  std::uint64_t lost = 0;
  for (std::size_t r = 0; r < kSkips; ++r) {
    if (skip_info(static_cast<Skip>(r)).kind == SkipKind::kMalformed) lost += report.skipped[r];
  }
  if (lost * kOneIn > report.lines) {
    tell("dcmrank: {} of {} could not be used\n", lost, how_many(report.lines, "line"));
  }
  if (report.count(Skip::kNotUtf8) > 0) {
    tell(
        "dcmrank: {} not UTF-8; if the log is Latin-1: iconv -f LATIN1 -t UTF-8 FILE | dcmrank "
        "... -\n",
        report.count(Skip::kNotUtf8) == 1
            ? "1 line is"
            : fmt::format("{} lines are", report.count(Skip::kNotUtf8)));
  }
  if (report.count(Skip::kDamagedFile) > 0) {
    tell(
        "dcmrank: the log is not whole: a compressed file ends too early or is damaged, and {} "
        "before that {} all that was read; get the file again; --strict refuses it\n",
        how_many(report.impressions, "impression"), report.impressions == 1 ? "is" : "are");
  }
}

}  // namespace

void warn_of_skipped(const LogReport& report) {
  for (std::size_t r = 0; r < kSkips; ++r) {
    if (report.skipped[r] == 0) continue;
    const auto reason = static_cast<Skip>(r);
    const bool used = skip_info(reason).kind == SkipKind::kTolerated;
    tell("dcmrank: {} {}{} {}\n", used ? "tolerated" : "skipped", report.skipped[r],
         report.first[r] ? "; first:" : ":", describe(report, reason));
  }
  tell_losses(report);
}

std::string summary(const LogReport& report) {
  return fmt::format("{} with {} in {}", how_many(report.impressions, "impression"),
                     how_many(report.clicks, "click"), how_many(report.lines, "line"));
}

}  // namespace dcmrank::command
