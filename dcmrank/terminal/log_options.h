#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "dcmrank/log/reader.h"
#include "dcmrank/terminal/context.h"

namespace dcmrank::command {

/// What all commands that read click logs share.
struct LogArguments {
  std::string format;
  std::string columns;
  std::vector<std::string> paths;
  std::string threads;
  bool strict = false;
};

/// LOG..., --format, --columns, --threads, --strict.
void add_log_options(CLI::App& command, LogArguments& arguments);
/// --format alone; `which` begins its help.
void add_format_option(CLI::App& command, std::string& format, const char* which);
/// --format and --columns.
void add_shape_options(CLI::App& command, std::string& format, std::string& columns);

/// The log to read; refused if a file cannot be read, its format cannot be detected, or standard
/// input is named twice. Says on stderr what was detected.
Log open_log(const LogArguments& arguments, const Context& context);

ReadOptions read_options(const LogArguments& arguments, const Context& context);

/// Says on stderr what was skipped, by reason, with the first of each.
void warn_of_skipped(const LogReport& report);

/// "35064 impressions with 23000 clicks in 76000 lines".
std::string summary(const LogReport& report);

}  // namespace dcmrank::command
