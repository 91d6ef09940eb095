#include "dcmrank/sweep/sweep.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <nlohmann/json.hpp>

#include "dcmrank/registry/spec.h"
#include "dcmrank/sim/net_regret.h"

namespace dcmrank {

using nlohmann::ordered_json;

namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// A row before its columns are known: a value by name.
using Row = std::vector<std::pair<std::string, Cell>>;

Row parameters_of(const SweepPlan& plan, const SweepCell& cell) {
  const SweepProblem& problem = plan.problems[cell.problem];
  Row row{{"problem", problem.name},
          {"model", problem.problem.model()},
          {"reward_kind", problem.problem.reward()}};
  row.insert(row.end(), problem.parameters.begin(), problem.parameters.end());
  row.emplace_back("L", std::uint64_t{problem.problem.items()});
  row.emplace_back("K", std::uint64_t{problem.problem.positions()});
  row.emplace_back("best_list_searched",
                   std::string(problem.problem.facts().searched ? "yes" : "no"));
  const PolicySpec spec = parse_policy_spec(cell.policy);
  row.emplace_back("policy", cell.policy);
  row.emplace_back("policy_name", spec.name);
  for (const auto& [option, value] : spec.options) row.emplace_back("policy_" + option, value);
  row.emplace_back("steps", cell.steps);
  row.emplace_back("runs", plan.runs);
  row.emplace_back("seed", plan.seed);
  return row;
}

Row row_of(const SweepPlan& plan, const SweepCell& cell) {
  Row row = parameters_of(plan, cell);
  const auto add = [&](const std::string& name, const Summary& value) {
    row.emplace_back(name, value.mean);
    row.emplace_back(name + "_stderr", value.stderr_);
  };
  add("regret", cell.result.regret);
  add("difference", summarise(cell.difference_per_run));
  add("net_regret", net_regret(cell.result, cell.floor));
  row.emplace_back("linear_runs", cell.floor
                                      ? Cell(std::uint64_t{linear_runs(cell.result, *cell.floor)})
                                      : kMissing);
  add("reward", cell.result.reward);
  return row;
}

// A column that is new stands after the one that it follows in its own row.
DataTable table_of(const std::vector<Row>& rows) {
  DataTable table;
  auto& heading = table.heading;
  for (const Row& row : rows) {
    auto after = heading.begin();
    for (const auto& [name, value] : row) {
      const auto at = std::find(heading.begin(), heading.end(), name);
      after = at == heading.end() ? heading.insert(after, name) + 1 : at + 1;
    }
  }
  for (const Row& row : rows) {
    std::vector<Cell> cells(heading.size(), kMissing);
    for (const auto& [name, value] : row) {
      const auto at = std::find(heading.begin(), heading.end(), name) - heading.begin();
      cells[static_cast<std::size_t>(at)] = value;
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

std::vector<double> differences(const PolicyResult& result, const PolicyResult& first) {
  std::vector<double> above = result.regret_per_run;
  for (std::size_t r = 0; r < above.size(); ++r) above[r] -= first.regret_per_run[r];
  return above;
}

ordered_json to_json(const Cell& cell) {
  return std::visit(
      [](const auto& value) -> ordered_json {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, double>) {
          if (std::isnan(value)) return nullptr;
        }
        return value;
      },
      cell);
}

}  // namespace

std::vector<Trial> trials_of(const SweepPlan& plan) {
  std::vector<Trial> trials;
  for (const SweepProblem& problem : plan.problems) {
    for (const std::uint64_t steps : plan.steps) {
      for (const std::string& policy : plan.policies) {
        trials.push_back({.problem = problem.problem,
                          .policy = policy,
                          .steps = steps,
                          .runs = plan.runs,
                          .curves_per_run = false});
      }
    }
  }
  return trials;
}

std::vector<SweepCell> sweep_cells(const SweepPlan& plan, std::vector<PolicyResult> results) {
  std::vector<SweepCell> cells;
  auto next = results.begin();
  for (std::size_t p = 0; p < plan.problems.size(); ++p) {
    for (const std::uint64_t steps : plan.steps) {
      const auto floor = floor_of_run(plan.problems[p].problem, steps);
      const std::size_t first = cells.size();
      for (const std::string& policy : plan.policies) {
        cells.push_back({p, steps, policy, floor, std::move(*next++)});
        cells.back().difference_per_run = differences(cells.back().result, cells[first].result);
      }
    }
  }
  return cells;
}

std::vector<PolicyResult> results_before(const SweepPlan& plan) {
  PolicyResult nothing_yet;
  nothing_yet.curve_steps = {1};
  std::vector<PolicyResult> results(plan.cells(), nothing_yet);
  return results;
}

DataTable sweep_preview(const SweepPlan& plan) {
  return sweep_rows(plan, sweep_cells(plan, results_before(plan)));
}

DataTable sweep_rows(const SweepPlan& plan, const std::vector<SweepCell>& cells) {
  std::vector<Row> rows;
  rows.reserve(cells.size());
  for (const SweepCell& cell : cells) rows.push_back(row_of(plan, cell));
  return table_of(rows);
}

bool is_measured(const std::string& column) {
  const auto measured = {"regret", "difference", "net_regret", "linear_runs", "reward"};
  return std::any_of(measured.begin(), measured.end(), [&](const std::string& name) {
    return column == name || column == name + "_stderr";
  });
}

std::vector<double> run_values(const SweepCell& cell, const std::string& column) {
  if (column == "regret") return cell.result.regret_per_run;
  if (column == "difference") return cell.difference_per_run;
  if (column == "reward") return cell.result.reward_per_run;
  if (column != "net_regret") return {};
  std::vector<double> net = cell.result.regret_per_run;
  for (double& regret : net) regret -= cell.floor.value_or(kMissing);
  return net;
}

DataTable sweep_run_rows(const SweepPlan& plan, const std::vector<SweepCell>& cells) {
  std::vector<Row> rows;
  for (const SweepCell& cell : cells) {
    const Row parameters = parameters_of(plan, cell);
    const auto net = run_values(cell, "net_regret");
    for (std::size_t r = 0; r < cell.result.regret_per_run.size(); ++r) {
      rows.push_back(parameters);
      rows.back().emplace_back("run", std::uint64_t{r});
      rows.back().emplace_back("regret", cell.result.regret_per_run[r]);
      rows.back().emplace_back("difference", cell.difference_per_run[r]);
      rows.back().emplace_back("net_regret", net[r]);
      rows.back().emplace_back("reward", cell.result.reward_per_run[r]);
    }
  }
  return table_of(rows);
}

ordered_json sweep_to_json(const SweepPlan& plan, const std::vector<SweepCell>& cells) {
  const DataTable table = sweep_rows(plan, cells);
  ordered_json rows = ordered_json::array();
  for (const auto& row : table.rows) {
    ordered_json object;
    for (std::size_t c = 0; c < row.size(); ++c) object[table.heading[c]] = to_json(row[c]);
    rows.push_back(std::move(object));
  }
  ordered_json problems = ordered_json::array();
  for (const SweepProblem& one : plan.problems) {
    problems.push_back({{"name", one.name}, {"problem", problem_to_json(one.problem)}});
  }
  return {{"format", "dcmrank.sweep"},
          {"version", 1},
          {"runs", plan.runs},
          {"seed", plan.seed},
          {"problems", std::move(problems)},
          {"cells", std::move(rows)}};
}

}  // namespace dcmrank
