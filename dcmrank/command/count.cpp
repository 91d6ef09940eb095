#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/error.h"
#include "dcmrank/base/json.h"
#include "dcmrank/command/commands.h"
#include "dcmrank/fit/counts_file.h"
#include "dcmrank/fit/statistics.h"
#include "dcmrank/terminal/log_options.h"
#include "dcmrank/terminal/options.h"
#include "dcmrank/terminal/progress.h"

namespace dcmrank::command {
namespace {

struct CountArguments {
  LogArguments log;
  std::string out;
  std::string json;
};

nlohmann::ordered_json to_json(const CountedLog& counted) {
  return {{"format", "dcmrank.counted"},
          {"version", 1},
          {"queries", counted.counts.query_count()},
          {"items", counted.counts.item_count()},
          {"log", log_to_json(counted.report)}};
}

void run_count(const CountArguments& arguments, const Context& context) {
  const Log log = open_log(arguments.log, context);
  ReadOptions options = read_options(arguments.log, context);
  Output out(arguments.out);
  Output json(arguments.json);
  if (out.to_stdout() && json.to_stdout()) throw InputError("--out and --json are both stdout");
  CountedLog counted;
  {
    ProgressBar bar("count", log.bytes);
    options.control.bytes_done = &bar.done();
    LogStatistics collected = collect(log, options, {});
    counted = {std::move(collected.statistics.counts), std::move(collected.report)};
  }
  require_impressions(counted.report);
  out.write(print_counts(counted));
  if (json) json.write(print_json(to_json(counted)));
  warn_of_skipped(counted.report);
  if (!out.to_stdout() && !json.to_stdout()) {
    fmt::print("{}\n{} queries, {} items\n", summary(counted.report), counted.counts.query_count(),
               counted.counts.item_count());
  }
}

}  // namespace

void add_count(CLI::App& app, const Context& context) {
  CLI::App* command = app.add_subcommand(
      "count", "Count the clicks of a log, or of a part of one, for 'fit --counts'");
  const auto arguments = std::make_shared<CountArguments>();
  add_log_options(*command, arguments->log);
  command->add_option("--out", arguments->out, "Write the counts to this file; - is stdout")
      ->type_name("COUNTS")
      ->required();
  add_json_option(*command, arguments->json);
  command->footer(
      "The counts of the parts of a log add up to exactly those of the whole log.\n\n"
      "Example:\n  dcmrank count --format yandex2011 monday.gz --out monday.counts\n"
      "  dcmrank fit --counts monday.counts tuesday.counts --out model.json");
  command->callback([arguments, context] { run_count(*arguments, context); });
}

}  // namespace dcmrank::command
