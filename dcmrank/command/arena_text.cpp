#include "dcmrank/command/arena_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "dcmrank/arena/report.h"
#include "dcmrank/base/text.h"
#include "dcmrank/terminal/plot_options.h"
#include "dcmrank/terminal/table.h"

namespace dcmrank::command {
namespace {

constexpr std::size_t kMostPrintedWorlds = 60;
const std::string kLegend = "Net regret; in square brackets: linear runs; *: does not hold.";

// The numbers by which the table of worlds calls policies.
std::string policy_lines(const ArenaOptions& options) {
  std::string text;
  for (std::size_t p = 0; p < options.policies.size(); ++p) {
    text += fmt::format("({}) {}\n", p + 1, options.policies[p]);
  }
  return text;
}

// "2000 steps, 3 runs, seed 1".
std::string size_text(const ArenaOptions& options) {
  return fmt::format("{}, {}, seed {}", how_many(options.steps, "step"),
                     how_many(options.runs, "run"), options.seed);
}

}  // namespace

std::string arena_text(const ArenaOptions& options, const ArenaResult& result) {
  std::string text = size_text(options) + "\n\n";
  if (result.worlds.size() <= kMostPrintedWorlds) {
    text += fmt::format("{}\n{}\n", kLegend, policy_lines(options));
    text += table(world_table(result)) + "\n";
  }
  text += table(tally_table(options, result)) + "\n" + wrapped(arena_rule(), 0) + "\n";
  if (const std::string note = short_note(options); !note.empty()) text += wrapped(note, 0) + "\n";
  text += wrapped(order_note(options), 0) + "\n";
  const bool searched = std::any_of(
      result.worlds.begin(), result.worlds.end(),
      [](const WorldOutcome& outcome) { return outcome.world.problem.facts().searched; });
  if (searched) {
    text += wrapped(
                "In some worlds the best list was found by exchanges; floor is what the best list "
                "sorted by attraction loses against it.",
                0) +
            "\n";
  }
  if (const std::string note = unknown_floors_note(result); !note.empty()) {
    text += wrapped(note, 0) + "\n";
  }
  return text;
}

std::string arena_latex(const ArenaOptions& typed, const ArenaResult& result) {
  ArenaOptions options = typed;
  for (std::string& policy : options.policies) policy = called(options.names, policy);
  std::string numbered;
  for (std::size_t p = 0; p < options.policies.size(); ++p) {
    numbered += fmt::format("{}({}) {}", p == 0 ? " " : ", ", p + 1, options.policies[p]);
  }
  const std::string size = size_text(options) + ". ";
  std::string legend = size + kLegend + numbered + ".";
  if (const std::string note = unknown_floors_note(result); !note.empty()) legend += " " + note;
  std::string rule = size + arena_rule();
  if (const std::string note = short_note(options); !note.empty()) rule += " " + note;
  return fmt::format("% By policy.\n{}\n% By world.\n{}",
                     latex_table(tally_table(options, result), rule + " " + order_note(options)),
                     latex_table(world_table(result), legend));
}

}  // namespace dcmrank::command
