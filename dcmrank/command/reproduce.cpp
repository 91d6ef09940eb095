#include "dcmrank/reproduce/reproduce.h"

#include <chrono>
#include <map>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/choices.h"
#include "dcmrank/base/error.h"
#include "dcmrank/base/json.h"
#include "dcmrank/base/text.h"
#include "dcmrank/command/commands.h"
#include "dcmrank/manual/offer.h"
#include "dcmrank/reproduce/part.h"
#include "dcmrank/reproduce/query_dcms.h"
#include "dcmrank/terminal/grid_options.h"
#include "dcmrank/terminal/log_options.h"
#include "dcmrank/terminal/options.h"
#include "dcmrank/terminal/progress.h"
#include "dcmrank/terminal/table.h"

namespace dcmrank::command {
namespace {

struct ReproduceArguments {
  bool quick = false;
  bool fresh = false;
  std::string log;
  std::string format;
  std::string columns;
  std::string out = "out";
  std::vector<std::string> only;
  std::string seed = "1";
  std::string threads;
  std::string json;
};

// The command as the page shows it, so that it can be typed again.
std::string command_text(const ReproduceArguments& arguments) {
  std::string text = "dcmrank reproduce";
  if (arguments.quick) text += " --quick";
  if (!arguments.log.empty()) text += " --log " + arguments.log;
  if (!arguments.format.empty()) text += " --format " + arguments.format;
  if (!arguments.columns.empty()) text += " --columns " + arguments.columns;
  if (arguments.seed != "1") text += " --seed " + arguments.seed;
  if (arguments.out != "out") text += " --out " + arguments.out;
  return text;
}

std::optional<Log> open_log(const ReproduceArguments& arguments, const Context& context) {
  if (arguments.log.empty()) return std::nullopt;
  return open_log(LogArguments{arguments.format, arguments.columns, {arguments.log}, {}}, context);
}

QueryDcms queries(const ReproduceArguments& arguments, const std::optional<Log>& log,
                  std::uint64_t seed, const Context& context) {
  if (!log) return stand_in_queries(seed, kPaperQueries);
  return read_queries(*log, arguments.log, kPaperQueries, context.stop);
}

std::string verdict_text(Outcome outcome) {
  return outcome == Outcome::kDoesNotHold ? "DOES NOT HOLD" : words(outcome);
}

// Every claim in words with its verdict, then what was measured, and why where there is no verdict.
std::string claims_text(const std::vector<FinishedPart>& parts) {
  constexpr std::size_t kIndent = 19;
  std::string text;
  for (const auto& [part, seconds] : parts) {
    for (const Claim& claim : part.claims) {
      text += fmt::format("{:<{}}{}\n", verdict_text(claim.verdict.outcome), kIndent,
                          wrapped(fmt::format("{} [{}]", claim.paper, claim.id), kIndent));
      text += fmt::format("{:{}}{}\n", "", kIndent, wrapped(claim.measured, kIndent));
    }
  }
  return text;
}

std::string count_text(const std::vector<FinishedPart>& parts) {
  std::map<Outcome, std::size_t> counts;
  for (const auto& [part, seconds] : parts) {
    for (const Claim& claim : part.claims) ++counts[claim.verdict.outcome];
  }
  std::vector<std::string> each;
  each.reserve(counts.size());
  for (const auto& [outcome, n] : counts) {
    each.push_back(fmt::format("{}: {}", verdict_text(outcome), n));
  }
  return fmt::format("Claims: {}.\n", fmt::join(each, ", "));
}

// The figures that a generated log stands behind.
std::string log_text(const Setting& setting, const std::vector<FinishedPart>& parts) {
  std::vector<std::string> names;
  for (const auto& [part, seconds] : parts) {
    if (part.of_log) names.push_back(part.title.substr(0, part.title.find(':')));
  }
  if (!setting.queries.generated || names.empty()) return "";
  return fmt::format(
      "{} {} from a generated log: claims about real users are not tested (--log takes a real "
      "log).\n",
      fmt::join(names, " and "), names.size() > 1 ? "are" : "is");
}

std::vector<FinishedPart> run_with_progress(const Setting& setting, const ReproduceOptions& options,
                                            const std::stop_token& stop) {
  ProgressBar bar("reproduce", 1);
  ReproduceControl control;
  control.experiment = {stop, &bar.done()};
  control.on_start = [&](std::uint64_t total) { bar.set_total(total); };
  control.on_part = [&](const std::string& id, std::size_t n, std::size_t of) {
    bar.set_label(fmt::format("{} ({} of {})", id, n, of));
  };
  return resumable([&] { return reproduce(setting, options, control); });
}

void run_reproduce(const ReproduceArguments& arguments, const Context& context) {
  ReproduceOptions options;
  options.out = arguments.out;
  options.only = arguments.only;
  options.fresh = arguments.fresh;
  options.command = command_text(arguments);
  options.seed = parse_seed("--seed", arguments.seed);
  options.threads = parse_threads(arguments.threads);
  chosen_plans(options.only);
  if (arguments.log.empty() && !(arguments.format.empty() && arguments.columns.empty())) {
    throw InputError("--format and --columns need --log");
  }
  check_can_draw("figure.svg");
  const std::optional<Log> log = open_log(arguments, context);
  Output json(arguments.json);
  create_folder_for(arguments.out, {"report.html", "results.json"});
  const Setting setting{arguments.quick, queries(arguments, log, options.seed, context)};

  const auto start = std::chrono::steady_clock::now();
  const auto parts = run_with_progress(setting, options, context.stop);
  if (json) json.write(print_json(results_json(setting, options, parts)));
  if (json.to_stdout()) return;
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  fmt::print("{}\n{}{}{} in {}: open {}\n", claims_text(parts), count_text(parts),
             log_text(setting, parts), arguments.quick ? "Quick reproduction" : "Reproduction",
             duration_text(seconds), (options.out / "report.html").string());
}

}  // namespace

void add_reproduce(CLI::App& app, const Context& context) {
  CLI::App* command = app.add_subcommand(
      "reproduce", "Run every experiment of the paper and write one page with the results");
  const auto arguments = std::make_shared<ReproduceArguments>();
  command->add_flag("--quick", arguments->quick,
                    "Run fewer steps and runs, in a few seconds; the page says so");
  command
      ->add_option("--log", arguments->log,
                   "A real click log for Fig. 1c and 2c (default: a generated one)")
      ->type_name("FILE");
  add_shape_options(*command, arguments->format, arguments->columns);
  command->add_option("--out", arguments->out, "The folder to write to")
      ->type_name("DIR")
      ->capture_default_str();
  manual::offer(
      command->add_option("--only", arguments->only,
                          "Make only this figure: fig1a, fig1b, fig1c, fig2a, fig2b, fig2c, bias, "
                          "recommended or other-users; repeat for several"),
      names_of(part_plans(), &PartPlan::id))
      ->type_name("ID")
      ->take_all()
      ->expected(1);
  command->add_option("--seed", arguments->seed, "The same seed gives the same numbers")
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--threads", arguments->threads, "Threads (default: all cores)")
      ->type_name("N");
  command->add_flag("--fresh", arguments->fresh, "Start over instead of resuming");
  add_json_option(*command, arguments->json);
  command->footer("Example:\n  dcmrank reproduce --quick --out out");
  command->callback([arguments, context] { run_reproduce(*arguments, context); });
}

}  // namespace dcmrank::command
