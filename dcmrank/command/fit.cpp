#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/choices.h"
#include "dcmrank/base/error.h"
#include "dcmrank/base/json.h"
#include "dcmrank/base/parallel.h"
#include "dcmrank/base/text.h"
#include "dcmrank/click_model/click_model.h"
#include "dcmrank/click_model/fit_log.h"
#include "dcmrank/click_model/list_json.h"
#include "dcmrank/click_model/model_file.h"
#include "dcmrank/command/commands.h"
#include "dcmrank/fit/counts_file.h"
#include "dcmrank/terminal/fit_options.h"
#include "dcmrank/terminal/log_options.h"
#include "dcmrank/terminal/options.h"
#include "dcmrank/terminal/progress.h"

namespace dcmrank::command {
namespace {

struct FitCommandArguments {
  LogArguments log;
  FitArguments fit;
  std::vector<std::string> counts;
  std::string model = "dcm";
  std::string method;
  std::string out;
  std::string json;
};

FitOptions model_options(const FitCommandArguments& arguments, const ClickModel& model,
                         const Context& context) {
  FitOptions options = fit_options(arguments.fit, context);
  options.method = method_named(model, arguments.method);
  options.intervals = true;
  options.threads = resolve_threads(read_options(arguments.log, context).threads);
  return options;
}

// The counts of files that 'dcmrank count' wrote, merged.
CountedLog merge_files(const std::vector<std::string>& paths) {
  CountedLog counted;
  for (const std::string& path : paths) merge_counts(read_file(path), path, counted);
  return counted;
}

FittedModel fit_model(const FitCommandArguments& arguments, const Context& context,
                      const ClickModel& model) {
  const LogFit how{model_options(arguments, model, context), query_choice(arguments.fit),
                   most_tails(arguments.fit)};
  if (!arguments.counts.empty()) {
    if (!arguments.log.paths.empty()) {
      throw InputError("--counts and LOG are given: a model is fitted from one or the other");
    }
    return fit_counts(model, merge_files(arguments.counts), how);
  }
  const Log log = open_log(arguments.log);
  ReadOptions reading = read_options(arguments.log, context);
  auto bar = std::make_unique<ProgressBar>("read", log.bytes);
  reading.control.bytes_done = &bar->done();
  return fit_log(model, log, reading, how, [&] { bar.reset(); });
}

nlohmann::ordered_json to_json(const FittedModel& fitted) {
  nlohmann::ordered_json result{{"format", "dcmrank.fit"},       {"version", 1},
                                {"model", fitted.model},         {"method", fitted.method},
                                {"positions", fitted.positions}, {"queries", fitted.queries.size()},
                                {"log", log_to_json(fitted.log)}};
  if (!fitted.em.objective.empty()) {
    result["em"] = {{"iterations", fitted.em.iterations()},
                    {"converged", fitted.em.converged},
                    {"tolerance", fitted.em.tolerance},
                    {"log_likelihood", fitted.em.log_likelihood},
                    {"objective", fitted.em.objective}};
  }
  return result;
}

std::string em_text(const EmTrace& em) {
  if (em.objective.empty()) return "";
  return fmt::format(
      "EM: {} iterations{} (tolerance {} per impression); log-likelihood {:.4f} -> {:.4f}\n",
      em.iterations(), em.converged ? ", converged" : "", em.tolerance, em.log_likelihood.front(),
      em.log_likelihood.back());
}

// Which entries of a list the log says nothing about.
std::string unidentified_text(const FittedModel& fitted, const ListParameter& parameter) {
  const std::string& list = parameter.name;
  const auto& shared = find_list(fitted.lists, list).unidentified;
  if (!shared.empty()) {
    return fmt::format(
        "{} of {} entries of {} cannot be identified from this log, the last of them "
        "{}\n",
        shared.size(), find_list(fitted.lists, list).values.size(), list,
        entry_text(parameter, shared.back()));
  }
  const auto queries = std::count_if(
      fitted.queries.begin(), fitted.queries.end(),
      [&](const FittedQuery& query) { return !find_list(query.lists, list).unidentified.empty(); });
  if (queries == 0) return "";
  return fmt::format(
      "{} of {} queries have positions whose {} cannot be identified, the last one among them\n",
      queries, fitted.queries.size(), list);
}

// Likewise of items, by the probability.
std::string unidentified_items_text(const FittedModel& fitted) {
  std::map<std::string, std::size_t> unknown;
  std::size_t items = 0;
  for (const FittedQuery& query : fitted.queries) {
    items += query.items.size();
    for (const FittedItem& item : query.items) {
      for (const std::string& name : item.unidentified) ++unknown[name];
    }
  }
  std::string text;
  for (const auto& [name, count] : unknown) {
    text += fmt::format("{} of {} items have a{} {} that cannot be identified from this log\n",
                        count, items, name == "attraction" ? "n" : "", name);
  }
  return text;
}

std::string to_text(const ClickModel& model, const FittedModel& fitted) {
  std::string text =
      fmt::format("{}\n{} of {} queries by {}, {} positions\n{}", summary(fitted.log), fitted.model,
                  fitted.queries.size(), fitted.method, fitted.positions, em_text(fitted.em));
  for (const ListParameter& list : model.lists) text += unidentified_text(fitted, list);
  return text + unidentified_items_text(fitted);
}

// The model is written all the same: it says so itself.
void require_convergence(const FittedModel& fitted) {
  if (fitted.em.objective.empty() || fitted.em.converged) return;
  throw std::runtime_error(
      fmt::format("EM did not converge in {} iterations (--max-iterations, --tolerance); the model "
                  "was written with \"converged\": false",
                  fitted.em.iterations()));
}

void run_fit(const FitCommandArguments& arguments, const Context& context) {
  const ClickModel& model = click_model(arguments.model, "--model");
  Output out(arguments.out);
  Output json(arguments.json);
  if (out.to_stdout() && json.to_stdout()) throw InputError("--out and --json are both stdout");
  const FittedModel fitted = fit_model(arguments, context, model);
  out.write(print_model(fitted));
  if (json) json.write(print_json(to_json(fitted)));
  warn_of_skipped(fitted.log);
  if (!out.to_stdout() && !json.to_stdout()) fmt::print("{}", to_text(model, fitted));
  require_convergence(fitted);
}

void add_model_options(CLI::App& command, FitCommandArguments& arguments) {
  std::string models = "The click model:";
  std::string methods =
      "How to fit: count (one pass) or em (exact likelihood). Each model has, the default first:";
  for (const ClickModel* model : click_models()) {
    models += fmt::format(" {} ({});", model->name, model->summary);
    methods +=
        fmt::format(" {} {};", model->name, fmt::join(names_of(model->methods, name_of), " or "));
  }
  models.pop_back();
  methods.pop_back();
  command.add_option("--model", arguments.model, models)->type_name("NAME")->capture_default_str();
  command.add_option("--method", arguments.method, methods)->type_name("M");
}

}  // namespace

void add_fit(CLI::App& app, const Context& context) {
  CLI::App* command = app.add_subcommand("fit", "Fit a click model to a click log");
  const auto arguments = std::make_shared<FitCommandArguments>();
  add_log_options(*command, arguments->log);
  command
      ->add_option("--counts", arguments->counts,
                   "Instead of LOG: files written by 'dcmrank count', which are added up")
      ->type_name("COUNTS");
  add_model_options(*command, *arguments);
  add_fit_options(*command, arguments->fit);
  command->add_option("--out", arguments->out, "Write the model to this file; - is stdout")
      ->type_name("MODEL.json")
      ->required();
  add_json_option(*command, arguments->json);
  command->footer(
      "Example:\n  dcmrank fit --format yandex2011 log.tsv --method em --termination shared \\\n"
      "    --out model.json");
  command->callback([arguments, context] { run_fit(*arguments, context); });
}

}  // namespace dcmrank::command
