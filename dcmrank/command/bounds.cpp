#include "dcmrank/bounds/bounds.h"

#include <cmath>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/json.h"
#include "dcmrank/command/commands.h"
#include "dcmrank/terminal/options.h"
#include "dcmrank/terminal/table.h"
#include "dcmrank/users/problem.h"

namespace dcmrank::command {
namespace {

struct BoundsArguments {
  std::string problem;
  std::string query;
  std::string min_shown;
  std::string steps = "100000";
  std::string json;
};

constexpr std::uint64_t kMostBoundSteps = 1'000'000'000'000'000'000;

// A bound that is absent or infinite is null in JSON and a dash in the table.
nlohmann::ordered_json finite(std::optional<double> bound) {
  if (!bound || !std::isfinite(*bound)) return nullptr;
  return *bound;
}

std::string cell(std::optional<double> bound) {
  if (!bound) return "-";
  return std::isfinite(*bound) ? fmt::format("{:.4f}", *bound) : "infinite";
}

nlohmann::ordered_json to_json(const Bounds& b, std::uint64_t steps) {
  nlohmann::ordered_json proposition1 = nlohmann::ordered_json::array();
  for (const double bound : b.proposition1) proposition1.push_back(finite(bound));
  return {{"format", "dcmrank.bounds"},
          {"version", 1},
          {"steps", steps},
          {"alpha", b.alpha},
          {"theorem1", finite(b.theorem1)},
          {"theorem2", finite(b.theorem2)},
          {"epsilon", b.epsilon},
          {"lower_per_log_n", finite(b.lower_per_log_n)},
          {"proposition1", std::move(proposition1)}};
}

std::string to_text(const Bounds& b, const Dcm& dcm, std::uint64_t steps) {
  const double log_n = std::log(static_cast<double>(steps));
  const auto lower = b.lower_per_log_n;
  std::vector<std::vector<std::string>> rows{
      {"quantity", "value"},
      {"alpha = (1 - p_max)^(K - 1)", cell(b.alpha)},
      {"epsilon, minimising Theorem 2", cell(b.epsilon)},
      {"Theorem 1, regret of dcmKL-UCB at most", cell(b.theorem1)},
      {"Theorem 2, regret of dcmKL-UCB at most", cell(b.theorem2)},
      {"Theorem 3, lower bound per log n", cell(lower)},
      {"Theorem 3 x log n (asymptotic)", cell(lower ? std::optional(*lower * log_n) : lower)}};
  for (std::size_t i = 0; i < b.proposition1.size(); ++i) {
    rows.push_back(
        {fmt::format("Proposition 1, cascade regret R_{}", i + 1), cell(b.proposition1[i])});
  }
  std::string text = fmt::format("L = {}, K = {}, n = {} steps\n\n{}", dcm.items(), dcm.positions(),
                                 steps, table(rows));
  if (!b.lists_differ) {
    text += "\nNo list is better than another here: the regret of every policy is 0.\n";
  }
  if (!b.theorem1) text += "\nTheorem 1 needs equal termination probabilities.\n";
  if (!lower) text += "\nTheorem 3 needs a problem of the class B_LB.\n";
  return text;
}

void run_bounds(const BoundsArguments& arguments) {
  std::string note;
  const Dcm dcm = read_dcm(arguments.problem, arguments.query, "the bounds are about", &note,
                           parse_min_shown(arguments.min_shown));
  print_note(note);
  const std::uint64_t steps = parse_count("--steps", arguments.steps, kMostBoundSteps);
  Output json(arguments.json);
  const Bounds result = bounds(dcm, steps);
  if (json) json.write(print_json(to_json(result, steps)));
  if (!json.to_stdout()) fmt::print("{}", to_text(result, dcm, steps));
}

}  // namespace

void add_bounds(CLI::App& app, const Context& /*context*/) {
  CLI::App* command =
      app.add_subcommand("bounds", "Compute the paper's regret bounds for a problem");
  const auto arguments = std::make_shared<BoundsArguments>();
  add_problem_option(*command, arguments->problem, arguments->query);
  add_min_shown_option(*command, arguments->min_shown);
  command->add_option("--steps", arguments->steps, "Steps (the paper's n)")
      ->type_name("N")
      ->capture_default_str();
  add_json_option(*command, arguments->json);
  command->footer(
      "Theorems 1 and 2 are about dcmKL-UCB as published. Their proof has a gap: the regret of\n"
      "dcmKL-UCB can exceed them (docs/paper_map.md).\n\n"
      "Example:\n  dcmrank bounds --problem lb:L=16,K=4,p=0.2,gap=0.15,gamma=0.5 --steps 1e5");
  command->callback([arguments] { run_bounds(*arguments); });
}

}  // namespace dcmrank::command
