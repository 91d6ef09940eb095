#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/choices.h"
#include "dcmrank/base/error.h"
#include "dcmrank/base/json.h"
#include "dcmrank/base/text.h"
#include "dcmrank/click_model/click_model.h"
#include "dcmrank/log_command/commands.h"
#include "dcmrank/manual/offer.h"
#include "dcmrank/prediction/cross_validation.h"
#include "dcmrank/terminal/fit_options.h"
#include "dcmrank/terminal/log_options.h"
#include "dcmrank/terminal/options.h"
#include "dcmrank/terminal/progress.h"
#include "dcmrank/terminal/table.h"

namespace dcmrank::command {
namespace {

struct ChooseArguments {
  LogArguments log;
  FitArguments fit;
  std::string models;
  std::string folds = "10";
  std::string seed = "1";
  std::string json;
};

std::vector<const ClickModel*> chosen_models(const std::string& names) {
  std::vector<const ClickModel*> models;
  if (names.empty()) {
    for (const ClickModel* model : click_models()) models.push_back(model);
    return models;
  }
  for (const std::string_view name : split(names, ',')) {
    const ClickModel& model = click_model(name, "--model");
    if (std::find(models.begin(), models.end(), &model) != models.end()) {
      throw InputError(fmt::format("--model: {} is given twice", quote(name)));
    }
    models.push_back(&model);
  }
  return models;
}

CrossValidationOptions validation_options(const ChooseArguments& arguments,
                                          const Context& context) {
  CrossValidationOptions options;
  options.folds = parse_count("--folds", arguments.folds, kMostFolds, 2);
  options.seed = parse_seed("--seed", arguments.seed);
  options.choice = query_choice(arguments.fit);
  options.fit = fit_options(arguments.fit, context);
  options.most_tails = most_tails(arguments.fit);
  return options;
}

nlohmann::ordered_json mean_to_json(const Summary& value) {
  return {{"mean", value.mean}, {"stderr", value.stderr_}};
}

nlohmann::ordered_json row_to_json(const CrossValidation& validation, const Comparison::Row& row) {
  const CrossValidation::Model& model = validation.models[row.model];
  nlohmann::ordered_json json{{"model", model.model->name},
                              {"method", name_of(model.method)},
                              {"log_likelihood", mean_to_json(row.log_likelihood)},
                              {"perplexity", mean_to_json(row.perplexity)},
                              {"difference", mean_to_json(row.difference)},
                              {"told_apart", row.told_apart},
                              {"converged", model.converged}};
  for (const Scores& scores : model.folds) {
    json["log_likelihood"]["per_fold"].push_back(scores.log_likelihood);
    json["perplexity"]["per_fold"].push_back(scores.perplexity);
  }
  return json;
}

// The best, and what cannot be told apart from it.
std::vector<std::string> best_models(const CrossValidation& validation,
                                     const Comparison& comparison) {
  std::vector<std::string> names;
  for (const Comparison::Row& row : comparison.rows) {
    if (!row.told_apart) names.push_back(validation.models[row.model].model->name);
  }
  return names;
}

nlohmann::ordered_json to_json(const CrossValidationOptions& options,
                               const CrossValidation& validation, const Comparison& comparison) {
  const auto best = best_models(validation, comparison);
  nlohmann::ordered_json json{{"format", "dcmrank.choice"}, {"version", 1},
                              {"folds", options.folds},     {"seed", options.seed},
                              {"winner", nullptr},          {"best", best}};
  if (best.size() == 1) json["winner"] = best.front();
  for (const Comparison::Row& row : comparison.rows) {
    json["models"].push_back(row_to_json(validation, row));
  }
  json["log"] = log_to_json(validation.report);
  return json;
}

std::string comparison_table(const CrossValidation& validation, const Comparison& comparison) {
  std::vector<std::vector<std::string>> rows{{"model", "method", "log-likelihood", "std. error",
                                              "from best", "std. error", "perplexity",
                                              "std. error"}};
  for (const Comparison::Row& row : comparison.rows) {
    const bool best = &row == &comparison.rows.front();
    const CrossValidation::Model& model = validation.models[row.model];
    rows.push_back({model.model->name, name_of(model.method),
                    fmt::format("{:.5f}", row.log_likelihood.mean),
                    fmt::format("{:.5f}", row.log_likelihood.stderr_),
                    best ? "-" : fmt::format("{:+.5f}", row.difference.mean),
                    best ? "-" : fmt::format("{:.5f}", row.difference.stderr_),
                    fmt::format("{:.5f}", row.perplexity.mean),
                    fmt::format("{:.5f}", row.perplexity.stderr_)});
  }
  return table(rows);
}

// How to fit a model as it was scored.
std::string fit_text(const CrossValidation::Model& model) {
  return fmt::format("fit it with --model {} --method {}\n", model.model->name,
                     name_of(model.method));
}

std::string verdict(const CrossValidation& validation, const Comparison& comparison,
                    std::size_t folds) {
  const auto& first = validation.models[comparison.rows.front().model];
  if (comparison.rows.size() == 1) return fit_text(first);
  const std::string how = fmt::format("differences fold by fold, {} folds, 95 %", folds);
  const auto best = best_models(validation, comparison);
  if (best.size() > 1) {
    return fmt::format(
        "{} cannot be told apart ({}): take the one of them with the fewest parameters "
        "(docs/click-models.md)\n",
        fmt::join(best, ", "), how);
  }
  return fmt::format("{} predicts best ({}): {}", best.front(), how, fit_text(first));
}

void require_all_converged(const CrossValidation& validation) {
  for (const CrossValidation::Model& model : validation.models) {
    if (model.converged) continue;
    throw std::runtime_error(
        fmt::format("EM of the model {} did not converge in every fold: raise --max-iterations or "
                    "--tolerance",
                    model.model->name));
  }
}

void run_choose(const ChooseArguments& arguments, const Context& context) {
  const auto models = chosen_models(arguments.models);
  const CrossValidationOptions options = validation_options(arguments, context);
  const Log log = open_log(arguments.log, context);
  ReadOptions reading = read_options(arguments.log, context);
  Output json(arguments.json);
  CrossValidation validation;
  {
    ProgressBar bar("read", log.bytes);
    reading.control.bytes_done = &bar.done();
    const auto stage = [&](const char* name, std::uint64_t total) {
      bar.set_label(name);
      bar.set_total(total);
      bar.done() = 0;
    };
    validation = cross_validate(models, log, reading, options, stage, bar.done());
  }
  const Comparison comparison = compare_models(validation);
  if (json) json.write(print_json(to_json(options, validation, comparison)));
  warn_of_skipped(validation.report);
  if (!json.to_stdout()) {
    fmt::print("{}\n\n{}\n{}", summary(validation.report), comparison_table(validation, comparison),
               verdict(validation, comparison, options.folds));
  }
  require_all_converged(validation);
}

}  // namespace

void add_choose(CLI::App& app, const Context& context) {
  CLI::App* command = app.add_subcommand(
      "choose", "Choose the click model that best predicts a click log, by cross-validation");
  const auto arguments = std::make_shared<ChooseArguments>();
  add_log_options(*command, arguments->log);
  command->get_option("LOG")->description(
      "Click logs, plain or compressed (gzip, Zstandard, xz, bzip2); they are read twice, so "
      "standard input and pipes are refused");
  manual::offer(
      command->add_option("--model", arguments->models, "The models to compare (default: all)"),
      names_of(click_models(), &ClickModel::name))
      ->type_name("NAME,NAME,...");
  command
      ->add_option("--folds", arguments->folds,
                   "Number of parts the sessions are divided into; each part is predicted by "
                   "models fitted to the others")
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option("--seed", arguments->seed, "Seed that decides which sessions are in which part")
      ->type_name("N")
      ->capture_default_str();
  add_fit_options(*command, arguments->fit);
  add_json_option(*command, arguments->json);
  command->footer(
      "Models are fitted by EM where possible. All pages of a session are in the same part.\n\n"
      "Example:\n"
      "  dcmrank choose --format yandex2011 log.tsv --model dcm,pbm,ubm");
  command->callback([arguments, context] { run_choose(*arguments, context); });
}

}  // namespace dcmrank::command
