#include "dcmrank/arena/results.h"

#include <cmath>
#include <limits>
#include <utility>

#include <nlohmann/json.hpp>

namespace dcmrank {

using nlohmann::ordered_json;

namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

ordered_json number_or_null(double number) {
  return std::isnan(number) ? ordered_json(nullptr) : ordered_json(number);
}

ordered_json value_and_error(const Summary& value) {
  return {{"mean", number_or_null(value.mean)}, {"stderr", number_or_null(value.stderr_)}};
}

ordered_json standing_to_json(const std::string& policy, const std::string& as_run,
                              const Standing& standing) {
  ordered_json regret = value_and_error(standing.regret);
  regret["per_run"] = standing.regret_per_run;
  const auto if_judged = [&](ordered_json value) {
    return standing.judged ? std::move(value) : ordered_json(nullptr);
  };
  return {{"policy", policy},
          {"as_run", as_run},
          {"regret", std::move(regret)},
          {"net_regret", value_and_error(standing.net)},
          {"linear_runs", if_judged(standing.linear_runs)},
          {"times_best", value_and_error(standing.times_best)},
          {"times_first", number_or_null(standing.times_first)},
          {"holds", if_judged(standing.holds)}};
}

ordered_json world_to_json(const ArenaOptions& options, const WorldOutcome& outcome) {
  const auto& [world, floor, standings] = outcome;
  ordered_json json{{"world", world.name},
                    {"kind", world.kind()},
                    {"source", world.source},
                    {"items", world.problem.items()},
                    {"positions", world.problem.positions()},
                    {"reward_kind", world.problem.reward()},
                    {"problem", problem_to_json(world.problem)}};
  if (!world.problem.note().empty()) json["note"] = world.problem.note();
  if (world.problem.facts().searched) json["best_list_found_by"] = "exchanges";
  json["best_sorted"] = {{"regret", floor ? ordered_json(*floor) : ordered_json(nullptr)}};
  json["policies"] = ordered_json::array();
  for (std::size_t p = 0; p < standings.size(); ++p) {
    const std::string& policy = options.policies[p];
    json["policies"].push_back(
        standing_to_json(policy, policy_as_run(policy, options, world), standings[p]));
  }
  return json;
}

ordered_json tally_to_json(const ArenaOptions& options, const Tally& tally) {
  ordered_json worst;
  if (tally.worlds > 0) worst = {{"world", tally.worst}, {"times_best", tally.worst_times}};
  return {{"kind", tally.kind.empty() ? ordered_json(nullptr) : ordered_json(tally.kind)},
          {"policy", options.policies[tally.policy]},
          {"worlds", tally.worlds},
          {"held", tally.held},
          {"linear_runs", tally.linear_runs},
          {"times_first", value_and_error(tally.times_first)},
          {"worst", std::move(worst)}};
}

}  // namespace

ordered_json arena_to_json(const ArenaOptions& options, const ArenaResult& result) {
  ordered_json worlds = ordered_json::array();
  for (const WorldOutcome& outcome : result.worlds) {
    worlds.push_back(world_to_json(options, outcome));
  }
  ordered_json summary = ordered_json::array();
  for (const Tally& tally : result.tallies) summary.push_back(tally_to_json(options, tally));
  return {{"format", "dcmrank.arena"},
          {"version", 1},
          {"steps", options.steps},
          {"runs", options.runs},
          {"seed", options.seed},
          {"order", options.order_told ? "told" : "top"},
          {"reward", options.reward.empty() ? "usual" : options.reward},
          {"rule", arena_rule()},
          {"policies", options.policies},
          {"summary", std::move(summary)},
          {"worlds", std::move(worlds)}};
}

DataTable arena_rows(const ArenaOptions& options, const ArenaResult& result) {
  DataTable table{{"world",
                   "kind",
                   "source",
                   "items",
                   "positions",
                   "reward",
                   "reward_kind",
                   "policy",
                   "as_run",
                   "steps",
                   "runs",
                   "seed",
                   "order",
                   "best_list_searched",
                   "floor",
                   "regret_mean",
                   "regret_stderr",
                   "net_regret_mean",
                   "net_regret_stderr",
                   "linear_runs",
                   "times_best",
                   "times_best_stderr",
                   "times_first",
                   "holds"},
                  {}};
  for (const auto& [world, floor, standings] : result.worlds) {
    for (std::size_t p = 0; p < standings.size(); ++p) {
      const Standing& s = standings[p];
      table.rows.push_back({world.name,
                            world.kind(),
                            world.source,
                            std::uint64_t{world.problem.items()},
                            std::uint64_t{world.problem.positions()},
                            options.reward.empty() ? std::string("usual") : options.reward,
                            world.problem.reward(),
                            options.policies[p],
                            policy_as_run(options.policies[p], options, world),
                            options.steps,
                            options.runs,
                            options.seed,
                            std::string(options.order_told ? "told" : "top"),
                            std::string(world.problem.facts().searched ? "yes" : "no"),
                            floor.value_or(kMissing),
                            s.regret.mean,
                            s.regret.stderr_,
                            s.net.mean,
                            s.net.stderr_,
                            s.judged ? Cell(std::uint64_t{s.linear_runs}) : kMissing,
                            s.times_best.mean,
                            s.times_best.stderr_,
                            s.times_first,
                            s.judged ? Cell(std::string(s.holds ? "yes" : "no")) : kMissing});
    }
  }
  return table;
}

}  // namespace dcmrank
