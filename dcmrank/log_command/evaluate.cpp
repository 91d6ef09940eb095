#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/json.h"
#include "dcmrank/log_command/commands.h"
#include "dcmrank/model_file/stand_ins.h"
#include "dcmrank/numeric/summary.h"
#include "dcmrank/prediction/scores.h"
#include "dcmrank/terminal/log_options.h"
#include "dcmrank/terminal/options.h"
#include "dcmrank/terminal/progress.h"
#include "dcmrank/terminal/table.h"

namespace dcmrank::command {
namespace {

struct EvaluateArguments {
  LogArguments log;
  std::vector<std::string> models;
  std::string json;
};

// Whether the model was fitted to the log that it is scored on.
bool is_own_log(const FittedModel& model, const LogReport& report) {
  return model.log.fingerprint != 0 && model.log.fingerprint == report.fingerprint &&
         model.log.impressions == report.impressions;
}

void warn_of_own_log(const std::string& path, const FittedModel& model, const LogReport& report) {
  if (!is_own_log(model, report)) return;
  fmt::print(
      stderr,
      "dcmrank: warning: {} was fitted to this very log, so its scores are too good: score it "
      "on another one, or compare models by 'dcmrank choose'\n",
      path);
}

void warn_of_guesses(const std::string& path, const FittedModel& model, const Scores& scores) {
  for (const std::string& note : {unknown_note(model, scores.unknown, scores.sessions),
                                  deeper_note(model, scores.deeper, scores.sessions)}) {
    if (!note.empty()) fmt::print(stderr, "dcmrank: warning: {}: {}\n", path, note);
  }
}

nlohmann::ordered_json errors_to_json(const Scores::Errors& errors) {
  return {{"log_likelihood", errors.log_likelihood},
          {"perplexity", errors.perplexity},
          {"conditional_perplexity", errors.conditional_perplexity}};
}

nlohmann::ordered_json scores_to_json(const Scores& scores) {
  return {{"sessions", static_cast<std::uint64_t>(scores.sessions)},
          {"unknown_queries", static_cast<std::uint64_t>(scores.unknown)},
          {"log_likelihood", scores.log_likelihood},
          {"perplexity", scores.perplexity},
          {"conditional_perplexity", scores.conditional_perplexity},
          {"perplexity_at", scores.perplexity_at},
          {"conditional_perplexity_at", scores.conditional_perplexity_at},
          {"stderr", errors_to_json(scores.errors)}};
}

// The scores of the first model at the top, where scripts look; those of all below "models".
nlohmann::ordered_json to_json(const EvaluateArguments& arguments,
                               const std::vector<OpenModel>& models, const Evaluation& evaluation) {
  nlohmann::ordered_json result{{"format", "dcmrank.evaluation"}, {"version", 1}};
  result.update(scores_to_json(evaluation.scores.front()));
  auto all = nlohmann::ordered_json::array();
  for (std::size_t m = 0; m < models.size(); ++m) {
    nlohmann::ordered_json row{{"file", arguments.models[m]},
                               {"model", models[m].model.model},
                               {"method", models[m].model.method}};
    row["own_log"] = is_own_log(models[m].model, evaluation.report);
    row.update(scores_to_json(evaluation.scores[m]));
    if (m > 0) {
      const Summary& difference = evaluation.differences[m];
      row["difference"] = {{"log_likelihood", difference.mean}, {"stderr", difference.stderr_}};
    }
    all.push_back(std::move(row));
  }
  result["models"] = std::move(all);
  result["log"] = log_to_json(evaluation.report);
  return result;
}

std::string scores_table(const EvaluateArguments& arguments, const std::vector<OpenModel>& models,
                         const Evaluation& evaluation) {
  std::vector<std::vector<std::string>> rows{
      {"file", "model", "method", "log-likelihood", "perplexity", "conditional"}};
  if (models.size() > 1) rows[0].insert(rows[0].begin() + 4, "difference from the first");
  for (std::size_t m = 0; m < models.size(); ++m) {
    const Scores& scores = evaluation.scores[m];
    const Scores::Errors& errors = scores.errors;
    rows.push_back({arguments.models[m], models[m].model.model, models[m].model.method,
                    text({scores.log_likelihood, errors.log_likelihood}, 6),
                    text({scores.perplexity, errors.perplexity}, 5),
                    text({scores.conditional_perplexity, errors.conditional_perplexity}, 5)});
    if (models.size() > 1) {
      rows.back().insert(rows.back().begin() + 4, m == 0 ? "" : text(evaluation.differences[m], 6));
    }
  }
  return table(rows);
}

std::string positions_table(const EvaluateArguments& arguments, const Evaluation& evaluation) {
  std::vector<std::vector<std::string>> rows{{"perplexity at"}};
  for (std::size_t k = 0; k < evaluation.scores.front().perplexity_at.size(); ++k) {
    rows[0].push_back(fmt::format("{}", k + 1));
  }
  for (std::size_t m = 0; m < evaluation.scores.size(); ++m) {
    rows.push_back({arguments.models[m]});
    for (const double p : evaluation.scores[m].perplexity_at) {
      rows.back().push_back(fmt::format("{:.4f}", p));
    }
  }
  return table(rows);
}

void run_evaluate(const EvaluateArguments& arguments, const Context& context) {
  std::vector<OpenModel> models;
  models.reserve(arguments.models.size());
  std::vector<ModelParameters> parameters;
  for (const std::string& path : arguments.models) {
    claim_input(path);
    models.emplace_back(path);
    parameters.push_back(models.back().parameters());
    print_note(unfinished_note(models.back().model, path));
  }
  const Log log = open_log(arguments.log, context);
  ReadOptions options = read_options(arguments.log, context);
  Output json(arguments.json);
  Evaluation evaluation;
  {
    ProgressBar bar("evaluate", log.bytes);
    options.control.bytes_done = &bar.done();
    evaluation = evaluate(parameters, log, options);
  }
  require_impressions(evaluation.report);
  if (json) json.write(print_json(to_json(arguments, models, evaluation)));
  warn_of_skipped(evaluation.report);
  for (std::size_t m = 0; m < models.size(); ++m) {
    warn_of_own_log(arguments.models[m], models[m].model, evaluation.report);
    warn_of_guesses(arguments.models[m], models[m].model, evaluation.scores[m]);
  }
  if (!json.to_stdout()) {
    fmt::print("{}\n\n{}\n{}", summary(evaluation.report),
               scores_table(arguments, models, evaluation), positions_table(arguments, evaluation));
  }
}

}  // namespace

void add_evaluate(CLI::App& app, const Context& context) {
  CLI::App* command = app.add_subcommand("evaluate", "Score click models on a click log");
  const auto arguments = std::make_shared<EvaluateArguments>();
  command
      ->add_option("--model", arguments->models,
                   "A model written by 'dcmrank fit'; repeat to compare several on one log")
      ->type_name("MODEL")
      ->required()
      ->take_all()
      ->expected(1)
      ->allow_extra_args(false);  // a LOG may follow
  add_log_options(*command, arguments->log);
  add_json_option(*command, arguments->json);
  command->footer(
      "Log-likelihood: mean over lists of the mean over positions; higher is better.\n"
      "Perplexity: 1 is perfect, 2 is as good as tossing a coin. After each score: its standard\n"
      "error, over 64 groups of sessions; of a difference from the first model, that of the\n"
      "differences in these groups.\n"
      "Definitions: docs/fitting.md.\n\n"
      "Example:\n  dcmrank evaluate --model dcm.json --model pbm.json --format yandex2011 "
      "test.tsv");
  command->callback([arguments, context] { run_evaluate(*arguments, context); });
}

}  // namespace dcmrank::command
