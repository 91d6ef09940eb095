#include <memory>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/choices.h"
#include "dcmrank/base/error.h"
#include "dcmrank/base/json.h"
#include "dcmrank/base/text.h"
#include "dcmrank/command/commands.h"
#include "dcmrank/command/options.h"
#include "dcmrank/command/progress.h"
#include "dcmrank/command/table.h"
#include "dcmrank/registry/registry.h"
#include "dcmrank/sim/experiment.h"
#include "dcmrank/sim/net_regret.h"
#include "dcmrank/sim/report.h"
#include "dcmrank/sim/result_rows.h"
#include "dcmrank/users/problem.h"

namespace dcmrank::command {
namespace {

constexpr std::uint64_t kMaxSimulatedSteps = 1'000'000'000'000;
constexpr std::uint64_t kMaxRuns = 1'000'000;
constexpr std::uint64_t kMaxDelay = 1'000'000;

struct SimulateArguments {
  std::string problem;
  std::string query;
  std::string reward;
  std::vector<std::string> policies;
  std::string steps = "100000";
  std::string runs = "20";
  std::string seed = "1";
  std::string threads;
  std::string delay;
  std::string depth;
  std::string json;
  std::string csv;
  std::string plot;
  std::string axes = "linear";
};

ExperimentOptions experiment_options(const SimulateArguments& arguments) {
  ExperimentOptions options;
  options.steps = parse_count("--steps", arguments.steps, kMaxSimulatedSteps);
  options.runs = parse_count("--runs", arguments.runs, kMaxRuns);
  options.seed = parse_seed("--seed", arguments.seed);
  options.threads = parse_threads(arguments.threads);
  if (!arguments.delay.empty()) {
    options.delay = parse_count("--delay", arguments.delay, kMaxDelay, 0);
  }
  return options;
}

ScreenDepths parse_depths(const std::string& text, std::size_t positions) {
  if (text.empty()) return {};
  try {
    return parse_screen_depths(text, positions);
  } catch (const InputError& error) {
    throw InputError(fmt::format("--depth {}: {}", quote(text), error.what()));
  }
}

const Choices<Axes> kAxes{
    {"linear", Axes::kLinear}, {"logx", Axes::kLogX}, {"loglog", Axes::kLogLog}};

// What regret is measured against, where that is not simply the best list.
std::string best_list_line(const Problem& problem, double floor) {
  const std::string text = best_list_text(problem, floor);
  return text.empty() ? "" : wrapped(text, 0) + "\n";
}

void run_simulate(const SimulateArguments& arguments, const Context& context) {
  claim_input(arguments.problem);
  const Problem problem = read_problem(arguments.problem, arguments.query, arguments.reward);
  print_note(problem.note());
  ExperimentOptions options = experiment_options(arguments);
  options.depths = parse_depths(arguments.depth, problem.positions());
  const Axes axes = choose("--axes", arguments.axes, kAxes);
  std::vector<PolicySpec> policies;
  for (const std::string& text : arguments.policies) {
    policies.push_back(parse_policy_spec(text));
    make_policy(policies.back(), case_of(problem, options.steps));
  }
  if (!arguments.plot.empty()) check_can_draw(arguments.plot);
  Output json(arguments.json);
  Output csv(arguments.csv);
  if (arguments.plot == "-") throw InputError("--plot cannot be written to stdout");
  Output plot(arguments.plot);
  if (json.to_stdout() && csv.to_stdout()) throw InputError("--json and --csv are both stdout");

  std::vector<PolicyResult> results;
  {
    ProgressBar bar("simulate", policies.size() * options.runs * options.steps);
    results = compare(problem, policies, options, {context.stop, &bar.done()});
  }
  if (json) json.write(print_json(results_to_json(problem, options, results)));
  if (csv) csv.write(results_to_csv(results));
  if (!json.to_stdout() && !csv.to_stdout()) {
    const double floor = floor_of_run(problem, options.steps);
    fmt::print("L = {}, K = {}, {} steps, {} runs, seed {}\n{}\n{}", problem.items(),
               problem.positions(), options.steps, options.runs, options.seed,
               best_list_line(problem, floor), table(result_rows(results, floor)));
  }
  // Last: what is wrong with a picture must not cost the numbers.
  if (plot) {
    draw(results_to_figure(fmt::format("Regret, {} runs, L = {}, K = {}", options.runs,
                                       problem.items(), problem.positions()),
                           axes, results),
         plot.file().temporary());
    plot.file().commit();
  }
}

}  // namespace

void add_simulate(CLI::App& app, const Context& context) {
  CLI::App* command = app.add_subcommand("simulate", "Compare policies on simulated users");
  const auto arguments = std::make_shared<SimulateArguments>();
  add_problem_option(*command, arguments->problem, arguments->query);
  add_reward_option(*command, arguments->reward);
  command
      ->add_option(
          "--policy", arguments->policies,
          "A policy, with its options after a colon; repeat to compare several on the same "
          "users ('dcmrank policies --options' lists them)")
      ->type_name("NAME[:OPTION=VALUE,...]")
      ->required()
      ->take_all()
      ->expected(1);
  command->add_option("--steps", arguments->steps, "Users per run (the paper's n)")
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--runs", arguments->runs, "Independent runs to average over")
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--seed", arguments->seed, "The same seed gives the same result")
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option("--threads", arguments->threads,
                   "Threads (default: all cores); the result is the same for any number")
      ->type_name("N");
  command
      ->add_option("--delay", arguments->delay,
                   "How many rounds late a policy learns what a user did (default: 0)")
      ->type_name("D");
  command
      ->add_option("--depth", arguments->depth,
                   "How many positions users see: a number (3), or several with their chances "
                   "(2:0.3,5:0.7); default: all")
      ->type_name("DEPTHS");
  add_json_option(*command, arguments->json);
  command->add_option("--csv", arguments->csv, "Write the regret curves as CSV; - is stdout")
      ->type_name("FILE");
  command->add_option("--plot", arguments->plot, "Draw the regret curves (.svg, .png or .pdf)")
      ->type_name("FILE");
  command->add_option("--axes", arguments->axes, "Axes of the plot: linear, logx or loglog")
      ->type_name("WHICH")
      ->capture_default_str();
  command->footer(
      "Example:\n  dcmrank simulate --problem lb:L=16,K=4,p=0.2,gap=0.15,gamma=0.5 \\\n"
      "    --policy dcm-kl-ucb --policy first-click --steps 1e4 --runs 20 --plot regret.svg");
  command->callback([arguments, context] { run_simulate(*arguments, context); });
}

}  // namespace dcmrank::command
