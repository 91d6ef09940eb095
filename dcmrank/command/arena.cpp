#include "dcmrank/arena/arena.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/arena/report.h"
#include "dcmrank/arena/results.h"
#include "dcmrank/base/choices.h"
#include "dcmrank/base/error.h"
#include "dcmrank/base/json.h"
#include "dcmrank/base/text.h"
#include "dcmrank/command/arena_text.h"
#include "dcmrank/command/commands.h"
#include "dcmrank/manual/offer.h"
#include "dcmrank/plot/figure.h"
#include "dcmrank/registry/registry.h"
#include "dcmrank/terminal/grid_options.h"
#include "dcmrank/terminal/options.h"
#include "dcmrank/terminal/plot_options.h"
#include "dcmrank/terminal/progress.h"
#include "dcmrank/worlds/random_world.h"

namespace dcmrank::command {
namespace {

constexpr std::uint64_t kMostArenaSteps = 1'000'000'000;
constexpr std::uint64_t kMostArenaRuns = 100'000;
constexpr std::uint64_t kMostWorlds = 100'000;

const std::vector<std::string> kArenaPolicies{
    "recommended", "dcm-ts", "dcm-kl-ucb", "dcm-ts:counting=first-click", "pbm-ts", "toprank"};

const Choices<bool> kOrders{{"told", true}, {"top", false}};

struct ArenaArguments {
  std::vector<std::string> worlds;
  std::string model;
  std::string top;
  std::string min_shown;
  std::vector<std::string> random;
  std::string world_seed;
  std::vector<std::string> policies;
  std::string order = "told";
  std::string reward;
  std::string steps = "100000";
  std::string runs = "20";
  std::string seed = "1";
  std::string threads;
  std::string out = "arena";
  bool fresh = false;
  std::string part;
  std::string json;
  std::string latex;
  std::vector<std::string> names;
};

// The command as the page shows it, so that it can be typed again.
std::string arena_command(const ArenaArguments& arguments) {
  std::string text = "dcmrank arena";
  const auto add = [&](const char* option, const std::string& value, const std::string& usual) {
    if (value != usual) text += fmt::format(" {} {}", option, value);
  };
  for (const std::string& world : arguments.worlds) add("--world", world, "");
  add("--model", arguments.model, "");
  add("--top", arguments.top, "");
  add("--min-shown", arguments.min_shown, "");
  for (const std::string& random : arguments.random) add("--random", random, "");
  add("--world-seed", arguments.world_seed, "");
  for (const std::string& policy : arguments.policies) add("--policy", policy, "");
  add("--order", arguments.order, "told");
  add("--reward", arguments.reward, "");
  add("--steps", arguments.steps, "100000");
  add("--runs", arguments.runs, "20");
  add("--seed", arguments.seed, "1");
  for (const std::string& name : arguments.names) add("--name", name, "");
  add("--out", arguments.out, "arena");
  return text;
}

// KIND:COUNT.
void add_random_worlds(const std::string& text, std::uint64_t seed, std::vector<World>& worlds) {
  const std::string option = "--random";
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) {
    throw InputError(fmt::format("{} is {}, not KIND:COUNT", option, quote(text)));
  }
  const std::string kind = text.substr(0, colon);
  const std::uint64_t count = parse_count(fmt::format("the count of {} {}", option, quote(text)),
                                          text.substr(colon + 1), kMostWorlds);
  for (std::uint64_t n = 1; n <= count; ++n) {
    worlds.push_back(random_world(kind, seed, n, fmt::format("{} {}", option, quote(text))));
  }
}

std::vector<World> arena_worlds(const ArenaArguments& arguments) {
  if (arguments.model.empty() && !arguments.top.empty()) {
    throw InputError("--top needs --model");
  }
  if (arguments.model.empty() && !arguments.min_shown.empty()) {
    throw InputError("--min-shown needs --model");
  }
  if (arguments.random.empty() && !arguments.world_seed.empty()) {
    throw InputError("--world-seed needs --random");
  }
  std::vector<World> worlds;
  for (const std::string& spec : arguments.worlds) {
    if (std::count(arguments.worlds.begin(), arguments.worlds.end(), spec) > 1) {
      throw InputError(fmt::format("--world {} is given twice", quote(spec)));
    }
    claim_input(spec);
    worlds.push_back(world_of_file(spec));
  }
  if (!arguments.model.empty()) {
    constexpr std::uint64_t kUsualTop = 10;
    claim_input(arguments.model);
    const std::uint64_t top =
        arguments.top.empty() ? kUsualTop : parse_count("--top", arguments.top, kMostWorlds);
    const std::uint64_t min_shown = parse_min_shown(arguments.min_shown);
    for (World& world : worlds_of_model(arguments.model, top, min_shown)) {
      worlds.push_back(std::move(world));
    }
  }
  const std::uint64_t seed =
      arguments.world_seed.empty() ? 1 : parse_seed("--world-seed", arguments.world_seed);
  std::set<std::string> kinds;
  for (const std::string& random : arguments.random) {
    if (!kinds.insert(random.substr(0, random.find(':'))).second) {
      throw InputError(fmt::format("--random {}: the kind is given twice", quote(random)));
    }
    add_random_worlds(random, seed, worlds);
  }
  if (worlds.empty()) throw InputError("no world: --world, --model or --random is needed");
  make_names_differ(worlds);
  for (World& world : worlds) world.problem = with_reward(world.problem, arguments.reward);
  return worlds;
}

ArenaOptions arena_options(const ArenaArguments& arguments) {
  ArenaOptions options;
  options.policies = arguments.policies.empty() ? kArenaPolicies : arguments.policies;
  options.order_told = choose("--order", arguments.order, kOrders);
  options.reward = arguments.reward;
  options.steps = parse_count("--steps", arguments.steps, kMostArenaSteps);
  options.runs = parse_count("--runs", arguments.runs, kMostArenaRuns);
  options.seed = parse_seed("--seed", arguments.seed);
  options.threads = parse_threads(arguments.threads);
  options.out = arguments.out;
  options.fresh = arguments.fresh;
  options.names = names_of_policies(arguments.names, {}, options.policies);
  options.command = arena_command(arguments);
  return options;
}

// What is not as it seems in a world, then how worlds were drawn.
std::vector<std::string> arena_notes(const ArenaArguments& arguments,
                                     const std::vector<std::string>& of_worlds) {
  if (arguments.random.empty()) return of_worlds;
  std::vector<std::string> lines = random_world_distributions();
  lines.front() =
      fmt::format("Random worlds, seed {}, {}.",
                  arguments.world_seed.empty() ? "1" : arguments.world_seed, lines.front());
  lines.insert(lines.begin(), of_worlds.begin(), of_worlds.end());
  return lines;
}

std::vector<std::string> notes_of_worlds(const std::vector<World>& worlds) {
  std::vector<std::string> notes;
  for (const World& world : worlds) {
    const std::string& note = world.problem.note();
    if (note.empty()) continue;
    print_note(note);
    notes.push_back(fmt::format("Note: {}.", note));
  }
  return notes;
}

void run_arena_command(const ArenaArguments& arguments, const Context& context) {
  const ArenaOptions options = arena_options(arguments);
  std::optional<GridPart> part;
  if (!arguments.part.empty()) part = parse_grid_part("--part", arguments.part);
  refuse_outputs_of_part(arguments.part, {{"--json", !arguments.json.empty()},
                                          {"--table-latex", !arguments.latex.empty()}});
  std::vector<World> worlds = arena_worlds(arguments);
  check_policies(worlds, options);
  check_can_draw("arena.svg");
  const auto notes = notes_of_worlds(worlds);
  Output json(arguments.json);
  Output latex(arguments.latex);
  if (json.to_stdout() && latex.to_stdout()) {
    throw InputError("--json and --table-latex are both stdout");
  }
  create_folder_for(arguments.out,
                    {"arena.html", "arena.svg", "arena.gnuplot", "arena.json", "arena.csv"});

  const auto start = std::chrono::steady_clock::now();
  const std::size_t cells = worlds.size() * options.policies.size();
  const std::uint64_t work = cells * options.steps * options.runs;
  if (part) {
    const std::size_t done = resumable([&] {
      ProgressBar bar("arena", work / part->of);
      return run_arena_part(worlds, options, *part, {context.stop, &bar.done()});
    });
    fmt::print("{}", part_text(*part, done, cells, arguments.out));
    return;
  }
  const ArenaResult result = resumable([&] {
    ProgressBar bar("arena", work);
    return run_arena(std::move(worlds), options, {context.stop, &bar.done()});
  });
  write_arena(options, result, arena_notes(arguments, notes));
  if (json) json.write(print_json(arena_to_json(options, result)));
  if (latex) latex.write(arena_latex(options, result));
  if (json.to_stdout() || latex.to_stdout()) return;
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  fmt::print("{}\nDone in {}: open {}\n", arena_text(options, result), duration_text(seconds),
             (options.out / "arena.html").string());
}

CLI::Option* add_several(CLI::App& command, const std::string& name,
                         std::vector<std::string>& values, const std::string& help) {
  return command.add_option(name, values, help)->take_all()->expected(1);
}

}  // namespace

void add_arena(CLI::App& app, const Context& context) {
  CLI::App* command = app.add_subcommand(
      "arena",
      "Compare policies in many worlds: which policy holds where, as a table and a picture");
  const auto arguments = std::make_shared<ArenaArguments>();
  add_several(*command, "--world", arguments->worlds,
              "A problem as for simulate: a JSON file or lb:...; repeat for several")
      ->type_name("P");
  command
      ->add_option("--model", arguments->model,
                   "A model written by 'dcmrank fit': its most frequent queries become worlds")
      ->type_name("MODEL.json");
  command
      ->add_option("--top", arguments->top,
                   "Number of queries to take from the model (default: 10)")
      ->type_name("N");
  add_min_shown_option(*command, arguments->min_shown);
  add_several(*command, "--random", arguments->random,
              fmt::format("Random worlds of a kind of user ({}), drawn as described below; repeat "
                          "for several kinds",
                          fmt::join(random_world_kinds(), ", ")))
      ->type_name("KIND:COUNT");
  command
      ->add_option("--world-seed", arguments->world_seed,
                   "The seed of random worlds: the same seed gives the same worlds (default: 1)")
      ->type_name("N");
  manual::offer(
      add_several(*command, "--policy", arguments->policies,
                  fmt::format("A policy; repeat for several. Net regrets are also given as "
                              "multiples of the first's (default: {})",
                              fmt::join(kArenaPolicies, ", "))),
      policy_names())
      ->type_name("NAME[:OPTION=VALUE,...]");
  manual::offer(
      command->add_option("--order", arguments->order,
                          "told: policies that take an order of positions, or their examination, "
                          "are given the world's; top: they assume the order from the top"),
      words_of(kOrders))
      ->type_name("WHICH")
      ->capture_default_str();
  add_reward_option(*command, arguments->reward);
  command->add_option("--steps", arguments->steps, "Users per run")
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--runs", arguments->runs, "Runs of each policy in each world")
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--seed", arguments->seed, "The same seed gives the same result")
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--threads", arguments->threads, "Threads (default: all cores)")
      ->type_name("N");
  command
      ->add_option("--out", arguments->out,
                   "The folder for arena.html, .svg, .csv and .json; finished cells are kept "
                   "there, and the same command resumes from them")
      ->type_name("DIR")
      ->capture_default_str();
  command->add_flag("--fresh", arguments->fresh, "Start over instead of resuming");
  add_part_option(*command, arguments->part);
  add_json_option(*command, arguments->json);
  add_latex_option(*command, arguments->latex);
  add_name_option(*command, arguments->names);
  command->footer(fmt::format(
      "Random worlds, {}\n\nExample:\n  dcmrank arena --random dcm:5 --random ubm:5 --steps 1e4 "
      "--runs 5",
      fmt::join(random_world_distributions(), "\n  ")));
  command->callback([arguments, context] { run_arena_command(*arguments, context); });
}

}  // namespace dcmrank::command
