#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/choices.h"
#include "dcmrank/base/error.h"
#include "dcmrank/base/json.h"
#include "dcmrank/base/text.h"
#include "dcmrank/click_model/fit_log.h"
#include "dcmrank/fit/counts_file.h"
#include "dcmrank/fit/statistics.h"
#include "dcmrank/log_command/commands.h"
#include "dcmrank/manual/offer.h"
#include "dcmrank/terminal/log_options.h"
#include "dcmrank/terminal/options.h"
#include "dcmrank/terminal/progress.h"

namespace dcmrank::command {
namespace {

struct CountArguments {
  LogArguments log;
  std::string models;
  std::string max_tails = "2000000";
  std::string out;
  std::string json;
};

// What the named models need beyond counts.
Needs needs_of_models(const CountArguments& arguments) {
  Needs needs;
  if (arguments.models == "all") {
    for (const ClickModel* model : click_models()) needs = either(needs, needs_of(*model));
  } else if (!arguments.models.empty()) {
    for (const std::string_view name : split(arguments.models, ',')) {
      needs = either(needs, needs_of(click_model(name, "--for")));
    }
  }
  needs.most_tails = parse_count("--max-tails", arguments.max_tails, 1'000'000'000'000);
  return needs;
}

nlohmann::ordered_json to_json(const LogStatistics& counted) {
  nlohmann::ordered_json json{{"format", "dcmrank.counted"},
                              {"version", 1},
                              {"queries", counted.statistics.counts.query_count()},
                              {"items", counted.statistics.counts.item_count()}};
  if (counted.statistics.tails) json["tails"] = counted.statistics.tails->size();
  json["log"] = log_to_json(counted.report);
  return json;
}

std::string to_text(const LogStatistics& counted) {
  const Statistics& statistics = counted.statistics;
  std::string text = fmt::format("{}\n{}, {}", summary(counted.report),
                                 how_many(statistics.counts.query_count(), "query", "queries"),
                                 how_many(statistics.counts.item_count(), "item"));
  if (statistics.tails) {
    text += ", " + how_many(statistics.tails->size(), "distinct tail");
  }
  return text + "\n";
}

void run_count(const CountArguments& arguments, const Context& context) {
  const Needs needs = needs_of_models(arguments);
  const Log log = open_log(arguments.log, context);
  ReadOptions options = read_options(arguments.log, context);
  Output out(arguments.out);
  Output json(arguments.json);
  if (out.to_stdout() && json.to_stdout()) throw InputError("--out and --json are both stdout");
  LogStatistics counted;
  {
    ProgressBar bar("count", log.bytes);
    options.control.bytes_done = &bar.done();
    counted = collect(log, options, needs);
  }
  require_impressions(counted.report);
  require_tails(counted.statistics);
  out.write(print_counts(counted));
  if (json) json.write(print_json(to_json(counted)));
  warn_of_skipped(counted.report);
  if (!out.to_stdout() && !json.to_stdout()) {
    fmt::print("{}", to_text(counted));
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
  std::vector<std::string> models = names_of(click_models(), &ClickModel::name);
  models.emplace_back("all");
  manual::offer(
      command->add_option(
          "--for", arguments->models,
          "Count also what these models need that are fitted by EM, as in dcm,ubm; or all. "
          "Without it the file holds what counting needs, and is small"),
      models)
      ->type_name("MODELS");
  command
      ->add_option("--max-tails", arguments->max_tails,
                   "With --for: keep at most N distinct tails (the items below a last click) in "
                   "memory; a log that has more is refused")
      ->type_name("N")
      ->capture_default_str();
  add_json_option(*command, arguments->json);
  command->footer(
      "The counts of the parts of a log add up to exactly those of the whole log.\n\n"
      "Example:\n  dcmrank count --format yandex2011 monday.gz --out monday.counts\n"
      "  dcmrank fit --counts monday.counts tuesday.counts --out model.json\n"
      "  dcmrank count tuesday.gz --for dcm,ubm --out tuesday.counts\n"
      "  dcmrank fit --counts tuesday.counts --model ubm --out model.json");
  command->callback([arguments, context] { run_count(*arguments, context); });
}

}  // namespace dcmrank::command
