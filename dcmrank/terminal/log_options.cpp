#include "dcmrank/terminal/log_options.h"

#include <algorithm>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/terminal/options.h"
#include "dcmrank/terminal/tell.h"

namespace dcmrank::command {
namespace {}  // namespace

void add_format_option(CLI::App& command, std::string& format) {
  std::string help = "The format of the log:";
  for (const LogFormat* known : log_formats())
    help += fmt::format(" {} ({});", known->name, known->summary);
  help.pop_back();
  command.add_option("--format", format, help)->type_name("F");
}

void add_log_options(CLI::App& command, LogArguments& arguments) {
  command
      .add_option("LOG", arguments.paths,
                  "Click logs, plain or compressed (gzip, Zstandard); - is standard input")
      ->type_name("FILE");
  add_format_option(command, arguments.format);
  command
      .add_option("--threads", arguments.threads,
                  "Threads (default: all cores); the result is the same for any number")
      ->type_name("N");
  command.add_flag("--strict", arguments.strict,
                   "Stop at the first malformed line instead of skipping and counting it");
}

Log open_log(const LogArguments& arguments) {
  if (arguments.paths.empty()) throw InputError("no LOG is given");
  if (arguments.format.empty()) throw InputError("--format is missing");
  if (std::count(arguments.paths.begin(), arguments.paths.end(), "-") > 1) {
    throw InputError("standard input (-) is given twice");
  }
  for (const std::string& path : arguments.paths) claim_input(path);
  return dcmrank::open_log(arguments.paths, log_format(arguments.format));
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
  return fmt::format("{} impressions with {} clicks in {} lines", report.impressions, report.clicks,
                     report.lines);
}

}  // namespace dcmrank::command
