#include <algorithm>
#include <filesystem>
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
#include "dcmrank/fit/counts_file.h"
#include "dcmrank/log_command/commands.h"
#include "dcmrank/manual/offer.h"
#include "dcmrank/model_file/list_json.h"
#include "dcmrank/model_file/model_writer.h"
#include "dcmrank/terminal/fit_options.h"
#include "dcmrank/terminal/log_options.h"
#include "dcmrank/terminal/options.h"
#include "dcmrank/terminal/progress.h"
#include "dcmrank/terminal/tell.h"

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
  const auto per_query = [](const ListParameter& list) { return list.scope == Scope::kPerQuery; };
  if (options.shared && std::none_of(model.lists.begin(), model.lists.end(), per_query)) {
    throw InputError(
        fmt::format("--termination shared: the model {} has no terminations", model.name));
  }
  options.intervals = true;
  options.threads = resolve_threads(read_options(arguments.log, context).threads);
  return options;
}

// A file of counts, and what it says of the pages that it counts.
struct CountedFile {
  std::string path;
  std::uint64_t impressions = 0;
  std::uint64_t fingerprint = 0;  // 0 in files of before, which had none
};

// A file cannot be meant twice; other files of the same pages hardly.
void look_for_doubles(const std::vector<CountedFile>& files, const CountedFile& file) {
  for (const CountedFile& other : files) {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(file.path, ignored) &&
        std::filesystem::equivalent(file.path, other.path, ignored)) {
      throw InputError(fmt::format("--counts: {} is given twice", file.path));
    }
    if (file.fingerprint == 0 || file.fingerprint != other.fingerprint ||
        file.impressions != other.impressions) {
      continue;
    }
    tell("dcmrank: {} counts the same {} pages as {}: are they meant twice?\n", file.path,
         file.impressions, other.path);
  }
}

// What the fit needs of files that 'dcmrank count' wrote, merged.
LogStatistics merge_files(const std::vector<std::string>& paths, const ClickModel& model,
                          const LogFit& how) {
  Needs needs = model.needs(how.options);
  needs.most_tails = how.most_tails;
  LogStatistics counted{Statistics(needs), {}};
  std::vector<CountedFile> files;
  for (const std::string& path : paths) {
    claim_input(path);
    const std::string text = read_file(path);
    require_needs(model, how.options, held_by_counts(text, path), path);
    const LogReport before = counted.report;
    merge_counts(text, path, counted);
    const CountedFile file{path, counted.report.impressions - before.impressions,
                           counted.report.fingerprint - before.fingerprint};
    look_for_doubles(files, file);
    files.push_back(file);
  }
  return counted;
}

// What is said of a model, gathered while its queries pass on their way to the file.
class FitSummary : public FittedSink {
 public:
  FitSummary(const ClickModel& model, ModelWriter& next) : model_(&model), next_(&next) {}

  void begin(const FittedModel& head) override {
    head_ = head;
    next_->begin(head);
  }
  void add(FittedQuery&& query) override {
    ++queries;
    impressions += query.impressions;
    items += query.items.size();
    for (const ListParameter& list : model_->lists) {
      if (!find_list(query.lists, list.name).unidentified.empty())
        ++unidentified_queries[list.name];
    }
    for (const FittedItem& item : query.items) {
      for (const std::string& name : item.unidentified) ++unidentified_items[name];
    }
    next_->add(std::move(query));
  }

  const FittedModel& head() const { return head_; }

  std::size_t queries = 0;
  double impressions = 0;  // of these
  std::size_t items = 0;
  std::map<std::string, std::size_t> unidentified_queries;  // by the list
  std::map<std::string, std::size_t> unidentified_items;    // by the probability

 private:
  const ClickModel* model_;
  ModelWriter* next_;
  FittedModel head_;
};

void fit_model(const FitCommandArguments& arguments, const Context& context,
               const ClickModel& model, FittedSink& sink) {
  const LogFit how{model_options(arguments, model, context), query_choice(arguments.fit),
                   most_tails(arguments.fit)};
  if (!arguments.counts.empty()) {
    if (!arguments.log.paths.empty()) {
      throw InputError("both --counts and LOG are given: a model is fitted from one or the other");
    }
    return fit_counts(model, merge_files(arguments.counts, model, how), how, sink);
  }
  const Log log = open_log(arguments.log, context);
  ReadOptions reading = read_options(arguments.log, context);
  auto bar = std::make_unique<ProgressBar>("read", log.bytes);
  reading.control.bytes_done = &bar->done();
  fit_log(model, log, reading, how, sink, [&] { bar.reset(); });
}

nlohmann::ordered_json to_json(const FitSummary& summary) {
  const FittedModel& fitted = summary.head();
  nlohmann::ordered_json result{{"format", "dcmrank.fit"},       {"version", 1},
                                {"model", fitted.model},         {"method", fitted.method},
                                {"positions", fitted.positions}, {"queries", summary.queries},
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
std::string unidentified_text(const FitSummary& summary, const ListParameter& parameter) {
  const std::string& list = parameter.name;
  const FittedList& shared = find_list(summary.head().lists, list);
  if (!shared.unidentified.empty()) {
    const std::string what = entries_text(parameter, shared.unidentified, shared.values.size());
    if (parameter.shape == ListShape::kNumbers) {
      return fmt::format("This log does not tell {}\n", what);
    }
    return fmt::format("This log does not tell {} of the {} of {}: {}\n",
                       shared.unidentified.size(),
                       how_many(shared.values.size(), "probability", "probabilities"), list, what);
  }
  const auto queries = summary.unidentified_queries.find(list);
  if (queries == summary.unidentified_queries.end()) return "";
  return fmt::format(
      "This log does not tell the {} of {} of {} at some positions, the last one among them\n",
      list, queries->second, how_many(summary.queries, "query", "queries"));
}

// Likewise of items, by the probability.
std::string unidentified_items_text(const FitSummary& summary) {
  std::string text;
  for (const auto& [name, count] : summary.unidentified_items) {
    text += fmt::format("This log does not tell the {} of {} of {}\n", name, count,
                        how_many(summary.items, "item"));
  }
  return text;
}

// 'choose' fits by EM what can be.
std::string method_text(const ClickModel& model, const FittedModel& fitted) {
  const auto& methods = model.methods;
  const bool em = std::find(methods.begin(), methods.end(), Method::kEm) != methods.end();
  if (!em || fitted.method == name_of(Method::kEm)) return "";
  return "Fitted by counting; --method em fits by maximum likelihood, as 'dcmrank choose' does\n";
}

// Where queries were left out: what is said of the log is of all that was read.
std::string chosen_text(const FitSummary& fit) {
  const auto chosen = static_cast<std::uint64_t>(fit.impressions);
  return chosen == fit.head().log.impressions
             ? ""
             : fmt::format("; {} of the {} are theirs", chosen,
                           how_many(fit.head().log.impressions, "impression"));
}

std::string to_text(const ClickModel& model, const FitSummary& fit) {
  const FittedModel& fitted = fit.head();
  std::string text = fmt::format("{}\n{} of {} by {}, {}{}\n{}{}", summary(fitted.log),
                                 fitted.model, how_many(fit.queries, "query", "queries"),
                                 fitted.method, how_many(fitted.positions, "position"),
                                 chosen_text(fit), method_text(model, fitted), em_text(fitted.em));
  for (const ListParameter& list : model.lists) text += unidentified_text(fit, list);
  return text + unidentified_items_text(fit);
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
  Pieces pieces(out);
  ModelWriter writer(is_compact_name(arguments.out),
                     [&](std::string_view piece) { pieces.write(piece); });
  FitSummary summary(model, writer);
  fit_model(arguments, context, model, summary);
  writer.finish();
  pieces.finish();
  if (json) json.write(print_json(to_json(summary)));
  warn_of_skipped(summary.head().log);
  if (!out.to_stdout() && !json.to_stdout()) fmt::print("{}", to_text(model, summary));
  require_convergence(summary.head());
}

void add_model_options(CLI::App& command, FitCommandArguments& arguments) {
  std::string models = "The click model:";
  std::string methods =
      "How to fit: count (one pass) or em (exact likelihood, as 'dcmrank choose' fits). Methods of "
      "each model, the default first:";
  for (const ClickModel* model : click_models()) {
    models += fmt::format(" {} ({});", model->name, model->summary);
    methods +=
        fmt::format(" {} {};", model->name, fmt::join(names_of(model->methods, name_of), " or "));
  }
  models.pop_back();
  methods.pop_back();
  manual::offer(command.add_option("--model", arguments.model, models),
                names_of(click_models(), &ClickModel::name))
      ->type_name("NAME")
      ->capture_default_str();
  manual::offer(command.add_option("--method", arguments.method, methods), method_names())
      ->type_name("M");
}

}  // namespace

void add_fit(CLI::App& app, const Context& context) {
  CLI::App* command = app.add_subcommand("fit", "Fit a click model to a click log");
  const auto arguments = std::make_shared<FitCommandArguments>();
  add_log_options(*command, arguments->log);
  command
      ->add_option("--counts", arguments->counts,
                   "Instead of LOG: files written by 'dcmrank count' (for EM with --for), which "
                   "are added up")
      ->type_name("COUNTS");
  add_model_options(*command, *arguments);
  add_fit_options(*command, arguments->fit);
  command
      ->add_option(
          "--out", arguments->out,
          "Write the model to this file: as JSON, or compact, for millions of items, if its "
          "name ends in .cmodel; - is stdout")
      ->type_name("MODEL")
      ->required();
  add_json_option(*command, arguments->json);
  command->footer(
      "Example:\n  dcmrank fit --format yandex2011 log.tsv --method em --termination shared \\\n"
      "    --out model.json");
  command->callback([arguments, context] { run_fit(*arguments, context); });
}

}  // namespace dcmrank::command
