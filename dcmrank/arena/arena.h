#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dcmrank/grid/trial.h"
#include "dcmrank/sim/experiment.h"
#include "dcmrank/worlds/world.h"

namespace dcmrank {

struct ArenaOptions {
  std::vector<std::string> policies;  // as typed
  bool order_told = true;  // policies are told the world's order of positions and examination
  std::string reward;      // as asked for; empty: what is usual in each world
  std::uint64_t steps = 0;
  std::uint64_t runs = 0;
  std::uint64_t seed = 0;
  unsigned threads = 0;
  std::filesystem::path out;
  bool fresh = false;                        // discard the cells that were kept
  std::map<std::string, std::string> names;  // what policies are called in pictures and LaTeX
  std::string command;                       // the command line that makes the page, for the page
};

/// What one policy did in one world.
struct Standing {
  Summary regret;
  std::vector<double> regret_per_run;
  bool judged = true;  // else the floor is not known: what follows is no number, or says nothing
  Summary net;         // of what the best sorted list loses
  std::size_t linear_runs = 0;
  Summary times_best;      // its net regret as a multiple of the best policy's there
  double times_first = 1;  // as a multiple of the first policy's
  bool holds = false;
};

struct WorldOutcome {
  World world;
  std::optional<double> floor;      // what the best sorted list loses over a run, if that is known
  std::vector<Standing> standings;  // by policy
};

/// What one policy did in all worlds of a kind, or in all; those whose floor is not known are left
/// out.
struct Tally {
  std::string kind;  // empty: all
  std::size_t policy = 0;
  std::size_t worlds = 0;
  std::size_t held = 0;
  std::size_t linear_runs = 0;
  Summary times_first;     // the geometric mean over the worlds, its error over the worlds
  std::string worst;       // the world where it is the largest multiple of the best; empty: none
  double worst_times = 0;  // that multiple
  double worst_best = 0;   // the best policy's net regret there
};

struct ArenaResult {
  std::vector<WorldOutcome> worlds;  // by kind, else as given
  std::vector<Tally> tallies;        // by kind, then all; in each by policy
};

/// A policy holds in a world if none of its runs is linear and its net regret is at most
/// `kHeldWithin` times that of the best policy there; net regrets below `kLinearLeast` count as
/// that in this comparison, and below 1 as 1 in geometric means.
inline constexpr double kHeldWithin = 2;
std::string arena_rule();

/// The policy as it is simulated in a world: with order=problem and examination=problem where it
/// takes them, the world knows them and they were not given.
std::string policy_as_run(const std::string& policy, const ArenaOptions& options,
                          const World& world);

/// Throws InputError if a policy cannot be made in a world.
void check_policies(const std::vector<World>& worlds, const ArenaOptions& options);

/// Every policy in every world. Results are kept in options.out/cells as they come; interrupted,
/// the same call continues with them.
ArenaResult run_arena(std::vector<World> worlds, const ArenaOptions& options,
                      const ExperimentControl& control);

/// Only a part of that, on one of several machines: its results are kept, and run_arena finds them.
/// Returns how many there are.
std::size_t run_arena_part(const std::vector<World>& worlds, const ArenaOptions& options,
                           const GridPart& part, const ExperimentControl& control);

/// The standings of one world from the results of its policies.
std::vector<Standing> standings_of(const std::vector<PolicyResult>& results,
                                   std::optional<double> floor);

/// By kind, in the order in which kinds first occur, then over all where there are several kinds.
std::vector<Tally> tallies_of(const std::vector<WorldOutcome>& worlds);

}  // namespace dcmrank
