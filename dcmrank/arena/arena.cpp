#include "dcmrank/arena/arena.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "dcmrank/grid/running_program.h"
#include "dcmrank/numeric/elementary.h"
#include "dcmrank/registry/registry.h"
#include "dcmrank/sim/net_regret.h"

namespace dcmrank {
namespace {

constexpr double kLeastInMeans = 1;
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

std::vector<double> net_per_run(const PolicyResult& result, double floor) {
  std::vector<double> net = result.regret_per_run;
  for (double& regret : net) regret -= floor;
  return net;
}

// a / b, where neither counts as less than `least`; with an error where both are as measured.
Summary multiple(const PolicyResult& a, const PolicyResult& b, double floor, double least) {
  const double above = net_regret(a, floor).mean;
  const double below = net_regret(b, floor).mean;
  if (&a == &b) return {1, 0};
  if (above >= least && below >= least) {
    return paired_ratio(net_per_run(a, floor), net_per_run(b, floor));
  }
  return {std::max(above, least) / std::max(below, least), kUnknown};
}

std::vector<std::string> kinds_of(const std::vector<WorldOutcome>& worlds) {
  std::vector<std::string> kinds;
  for (const WorldOutcome& outcome : worlds) {
    const std::string& kind = outcome.world.kind();
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) kinds.push_back(kind);
  }
  return kinds;
}

double least_net(const std::vector<Standing>& standings) {
  return std::min_element(standings.begin(), standings.end(),
                          [](const auto& a, const auto& b) { return a.net.mean < b.net.mean; })
      ->net.mean;
}

Tally tally(const std::vector<WorldOutcome>& worlds, const std::string& kind, std::size_t policy) {
  Tally sum;
  sum.kind = kind;
  sum.policy = policy;
  std::vector<double> logs;
  for (const WorldOutcome& outcome : worlds) {
    if (!kind.empty() && outcome.world.kind() != kind) continue;
    const Standing& standing = outcome.standings[policy];
    if (!standing.judged) continue;
    ++sum.worlds;
    sum.held += standing.holds ? 1 : 0;
    sum.linear_runs += standing.linear_runs;
    logs.push_back(same_log(standing.times_first));
    if (standing.times_best.mean > sum.worst_times) {
      sum.worst_times = standing.times_best.mean;
      sum.worst = outcome.world.name;
      sum.worst_best = least_net(outcome.standings);
    }
  }
  if (logs.empty()) {
    sum.times_first = {kUnknown, kUnknown};
    return sum;
  }
  const Summary mean = summarise(logs);
  sum.times_first = {same_exp(mean.mean), same_exp(mean.mean) * mean.stderr_};
  return sum;
}

}  // namespace

std::string arena_rule() {
  return fmt::format(
      "A policy holds in a world if none of its runs is linear and its net regret is at most {:g} "
      "times that of the best policy there. Net regret is regret less what the best list sorted by "
      "attraction loses. {} In this comparison a net regret below {:g}, a matter of a few users, "
      "counts as {:g}; where the best policy's is that small, no multiple of it is printed "
      "(\"-\"). "
      "\"Times the first\" is the geometric mean over the worlds of the net regret as a multiple "
      "of "
      "the first policy's; there a net regret below {:g} counts as {:g}.",
      kHeldWithin, linear_rule(), kLinearLeast, kLinearLeast, kLeastInMeans, kLeastInMeans);
}

std::string policy_as_run(const std::string& policy, const ArenaOptions& options,
                          const World& world) {
  if (!options.order_told) return policy;
  const PolicySpec spec = parse_policy_spec(policy);
  const ListFacts& facts = world.problem.facts();
  std::string told = policy;
  const auto tell = [&](const char* option) {
    told += fmt::format("{}{}=problem", told.find(':') == std::string::npos ? ":" : ",", option);
  };
  if (!facts.order.empty() && could_be_told_order(spec)) tell("order");
  const bool examined = takes_option(spec, "examination") && !spec.options.contains("examination");
  if (!facts.examination.empty() && examined) tell("examination");
  return told;
}

void check_policies(const std::vector<World>& worlds, const ArenaOptions& options) {
  for (const std::string& policy : options.policies) {
    for (const World& world : worlds) {
      make_policy(parse_policy_spec(policy_as_run(policy, options, world)),
                  case_of(world.problem, options.steps));
    }
  }
}

std::vector<Standing> standings_of(const std::vector<PolicyResult>& results,
                                   std::optional<double> floor) {
  const auto best =
      std::min_element(results.begin(), results.end(),
                       [](const auto& a, const auto& b) { return a.regret.mean < b.regret.mean; });
  std::vector<Standing> standings;
  for (const PolicyResult& result : results) {
    Standing standing;
    standing.regret = result.regret;
    standing.regret_per_run = result.regret_per_run;
    standing.net = net_regret(result, floor);
    standing.judged = floor.has_value();
    if (floor) {
      standing.linear_runs = linear_runs(result, *floor);
      standing.times_best = multiple(result, *best, *floor, kLinearLeast);
      standing.times_first = multiple(result, results.front(), *floor, kLeastInMeans).mean;
      standing.holds = standing.linear_runs == 0 && standing.times_best.mean <= kHeldWithin;
    } else {
      standing.times_best = {kUnknown, kUnknown};
      standing.times_first = kUnknown;
    }
    standings.push_back(std::move(standing));
  }
  return standings;
}

std::vector<Tally> tallies_of(const std::vector<WorldOutcome>& worlds) {
  std::vector<std::string> kinds = kinds_of(worlds);
  if (kinds.size() > 1) kinds.emplace_back();
  std::vector<Tally> tallies;
  for (const std::string& kind : kinds) {
    for (std::size_t p = 0; p < worlds.front().standings.size(); ++p) {
      tallies.push_back(tally(worlds, kind, p));
    }
  }
  return tallies;
}

namespace {

std::vector<Trial> trials_of(const std::vector<World>& worlds, const ArenaOptions& options) {
  std::vector<Trial> trials;
  for (const World& world : worlds) {
    for (const std::string& policy : options.policies) {
      trials.push_back({.problem = world.problem,
                        .policy = policy_as_run(policy, options, world),
                        .steps = options.steps,
                        .runs = options.runs,
                        .curves_per_run = false});
    }
  }
  return trials;
}

TrialStore store_of(const ArenaOptions& options) {
  const auto cells = options.out / "cells";
  if (options.fresh) forget_trials(cells);
  return {cells, running_program(), options.seed, options.threads};
}

}  // namespace

std::size_t run_arena_part(const std::vector<World>& worlds, const ArenaOptions& options,
                           const GridPart& part, const ExperimentControl& control) {
  const auto mine = trials_of(part, trials_of(worlds, options));
  store_of(options).get(mine, control);
  return mine.size();
}

ArenaResult run_arena(std::vector<World> worlds, const ArenaOptions& options,
                      const ExperimentControl& control) {
  const auto results = store_of(options).get(trials_of(worlds, options), control);
  ArenaResult arena;
  const std::size_t n = options.policies.size();
  for (std::size_t w = 0; w < worlds.size(); ++w) {
    const auto floor = floor_of_run(worlds[w].problem, options.steps);
    const auto first = results.begin() + static_cast<std::ptrdiff_t>(w * n);
    auto standings = standings_of({first, first + static_cast<std::ptrdiff_t>(n)}, floor);
    arena.worlds.push_back({std::move(worlds[w]), floor, std::move(standings)});
  }
  const auto kinds = kinds_of(arena.worlds);
  std::stable_sort(arena.worlds.begin(), arena.worlds.end(),
                   [&](const WorldOutcome& a, const WorldOutcome& b) {
                     return std::find(kinds.begin(), kinds.end(), a.world.kind()) <
                            std::find(kinds.begin(), kinds.end(), b.world.kind());
                   });
  arena.tallies = tallies_of(arena.worlds);
  return arena;
}

}  // namespace dcmrank
