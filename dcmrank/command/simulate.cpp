#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/command/commands.h"
#include "dcmrank/grid/running_program.h"
#include "dcmrank/grid/trial.h"
#include "dcmrank/manual/offer.h"
#include "dcmrank/registry/registry.h"
#include "dcmrank/sim/experiment.h"
#include "dcmrank/sim/run_journal.h"
#include "dcmrank/sim/saved_runs.h"
#include "dcmrank/terminal/options.h"
#include "dcmrank/terminal/policy_folder.h"
#include "dcmrank/terminal/progress.h"
#include "dcmrank/terminal/result_outputs.h"
#include "dcmrank/users/problem.h"

namespace dcmrank::command {
namespace {

constexpr std::uint64_t kMaxSimulatedSteps = 1'000'000'000'000;
constexpr std::uint64_t kMaxRuns = 1'000'000;
constexpr std::uint64_t kMaxFirstRun = 1'000'000'000'000;
constexpr std::uint64_t kMaxDelay = 1'000'000;

struct SimulateArguments {
  std::string problem;
  std::string query;
  std::string min_shown;
  std::string reward;
  std::vector<std::string> policies;
  std::string steps = "100000";
  std::string runs = "20";
  std::string seed = "1";
  std::string threads;
  std::string delay;
  std::string depth;
  std::string first_run;
  std::string resume;
  std::string save_policies;
  std::string load;
  ResultFiles files;
};

ExperimentOptions experiment_options(const SimulateArguments& arguments) {
  ExperimentOptions options;
  options.steps = parse_count("--steps", arguments.steps, kMaxSimulatedSteps);
  options.runs = parse_count("--runs", arguments.runs, kMaxRuns);
  options.seed = parse_seed("--seed", arguments.seed);
  options.threads = parse_threads(arguments.threads);
  if (!arguments.first_run.empty()) {
    options.first_run = parse_count("--first-run", arguments.first_run, kMaxFirstRun, 0);
  }
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

std::vector<PolicySpec> parse_policies(const std::vector<std::string>& texts,
                                       const Problem& problem, std::uint64_t steps) {
  std::vector<PolicySpec> policies;
  for (const std::string& text : texts) {
    policies.push_back(parse_policy_spec(text));
    make_policy(policies.back(), case_of(problem, steps));
  }
  return policies;
}

// Names the policies that take positions to be worth less from the top down, where they are not.
std::string untold_order_note(const std::vector<std::string>& policies, const Problem& problem) {
  const auto& order = problem.facts().order;
  if (std::ranges::is_sorted(order)) return "";
  std::vector<std::string> untold;
  for (const std::string& policy : policies) {
    if (could_be_told_order(parse_policy_spec(policy))) untold.push_back(policy);
  }
  if (untold.empty()) return "";
  std::vector<std::size_t> positions;
  positions.reserve(order.size());
  for (const std::size_t position : order) positions.push_back(position + 1);
  return fmt::format(
      "a good item is worth most at position {} here (order: {}), but the order of positions is "
      "taken from the top by {}: regret may grow for ever; order=problem tells a policy",
      positions.front(), fmt::join(positions, ","), fmt::join(untold, ", "));
}

// Policies that have learned before, or are kept for later.
std::vector<PolicyResult> run_saved(const SimulateArguments& arguments, const Problem& problem,
                                    std::vector<SavedRuns> policies,
                                    const ExperimentOptions& options, const Context& context) {
  std::optional<PolicyFolder> folder;
  if (!arguments.save_policies.empty()) folder.emplace(arguments.save_policies);
  std::vector<PolicyResult> results;
  {
    ProgressBar bar("simulate", policies.size() * options.runs * options.steps);
    results = compare_saved(problem, policies, options, {context.stop, &bar.done()});
  }
  if (folder) folder->save(policies);
  return results;
}

// Of work that was begun before.
void tell_kept(const SimulateArguments& arguments, const std::vector<PolicySpec>& policies,
               const ExperimentOptions& options, RunJournal& journal) {
  std::uint64_t kept = 0;
  for (const PolicySpec& policy : policies) {
    for (std::uint64_t run = 0; run < options.runs; ++run) {
      kept += journal.has(policy.text, options.first_run + run) ? 1 : 0;
    }
  }
  if (kept == 0) return;
  print_note(fmt::format("{} of {} are kept from before in {}", kept,
                         how_many(policies.size() * options.runs, "run"), arguments.resume));
}

std::vector<PolicyResult> run_resumable(const SimulateArguments& arguments, const Problem& problem,
                                        const ExperimentOptions& options, const Context& context) {
  const auto policies = parse_policies(arguments.policies, problem, options.steps);
  std::optional<RunJournal> journal;
  if (!arguments.resume.empty()) {
    claim_output(arguments.resume);
    journal.emplace(arguments.resume, running_program(), problem, options);
    tell_kept(arguments, policies, options, *journal);
  }
  try {
    ProgressBar bar("simulate", policies.size() * options.runs * options.steps);
    return compare(problem, policies, options, {context.stop, &bar.done()},
                   journal ? &*journal : nullptr);
  } catch (const Interrupted&) {
    if (!journal) {
      throw Interrupted("interrupted; nothing was written (--resume FILE keeps finished runs)");
    }
    throw Interrupted(
        fmt::format("interrupted; the same command resumes from {}", arguments.resume).c_str());
  }
}

// Options that do not go together: each message names both.
void check_together(const SimulateArguments& arguments, const CLI::App& command) {
  const auto refuse_both = [&](const char* one, const char* other) {
    if (command.count(one) > 0 && command.count(other) > 0) {
      throw InputError(fmt::format("{} cannot be combined with {}", one, other));
    }
  };
  for (const char* other : {"--resume", "--delay"}) {
    refuse_both("--save-policies", other);
    refuse_both("--load", other);
  }
  // These come from the folder.
  for (const char* other : {"--policy", "--runs", "--seed", "--first-run"}) {
    refuse_both("--load", other);
  }
  if (arguments.policies.empty() && arguments.load.empty()) {
    throw InputError("no policies: --policy or --load is needed");
  }
}

void run_simulate(const SimulateArguments& arguments, const CLI::App& command,
                  const Context& context) {
  check_together(arguments, command);
  claim_input(arguments.problem);
  const Problem problem = read_problem(arguments.problem, arguments.query, arguments.reward,
                                       parse_min_shown(arguments.min_shown));
  print_note(problem.note());
  ExperimentOptions options = experiment_options(arguments);
  options.depths = parse_depths(arguments.depth, problem.positions());
  std::vector<SavedRuns> saved;
  if (!arguments.load.empty()) {
    saved = load_policies(arguments.load, options);
  } else if (!arguments.save_policies.empty()) {
    for (const PolicySpec& policy : parse_policies(arguments.policies, problem, options.steps)) {
      saved.push_back(new_runs(problem, policy, options));
    }
  }
  print_note(untold_order_note(arguments.policies, problem));
  ResultOutputs outputs(arguments.files);
  if (saved.empty()) outputs.check(arguments.policies, options.steps);
  // A part goes on to merge, which needs all that its runs have.
  const bool is_part = !arguments.first_run.empty();
  options.curves_per_run = is_part || outputs.want_curves_of_runs();
  auto results = saved.empty() ? run_resumable(arguments, problem, options, context)
                               : run_saved(arguments, problem, std::move(saved), options, context);
  outputs.write({problem, options, std::move(results)}, is_part);
}

}  // namespace

void add_simulate(CLI::App& app, const Context& context) {
  CLI::App* command = app.add_subcommand("simulate", "Compare policies on simulated users");
  const auto arguments = std::make_shared<SimulateArguments>();
  add_problem_option(*command, arguments->problem, arguments->query);
  add_min_shown_option(*command, arguments->min_shown);
  add_reward_option(*command, arguments->reward);
  manual::offer(
      command->add_option(
          "--policy", arguments->policies,
          "A policy, with its options after a colon; repeat to compare several on the same "
          "users ('dcmrank policies --options' lists them)"),
      policy_names())
      ->type_name("NAME[:OPTION=VALUE,...]")
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
                   "Rounds of delay until a policy learns what a user did (default: 0)")
      ->type_name("D");
  command
      ->add_option("--depth", arguments->depth,
                   "How many positions users see: a number (3), or several with their chances "
                   "(2:0.3,5:0.7); default: all")
      ->type_name("DEPTHS");
  command
      ->add_option("--first-run", arguments->first_run,
                   "The number of the first run, counted from 0, to compute part of a larger "
                   "experiment; --json then also holds the curve of every run, for 'dcmrank merge'")
      ->type_name("N");
  command
      ->add_option("--resume", arguments->resume,
                   "Keep every finished run in this file, and resume from those already in it; "
                   "more runs or policies can be added later, but not more steps (--save-policies)")
      ->type_name("FILE");
  command
      ->add_option(
          "--save-policies", arguments->save_policies,
          "Save the policies in this folder at the end, with all they have learned; not with "
          "--resume or --delay")
      ->type_name("DIR");
  command
      ->add_option("--load", arguments->load,
                   "Continue with the policies that --save-policies saved, for --steps more users, "
                   "also on another problem of the same size; regret is counted from there")
      ->type_name("DIR");
  add_result_options(*command, arguments->files);
  command->footer(
      "Example:\n  dcmrank simulate --problem lb:L=16,K=4,p=0.2,gap=0.15,gamma=0.5 \\\n"
      "    --policy dcm-kl-ucb --policy first-click --steps 1e4 --runs 20 --plot regret.svg");
  command->callback([arguments, command, context] { run_simulate(*arguments, *command, context); });
}

}  // namespace dcmrank::command
