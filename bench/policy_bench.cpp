// The benchmark behind docs/policies.md. Writes DIR/results.csv, a table a suite and pictures.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "dcmrank/log/format.h"
#include "dcmrank/log/reader.h"
#include "dcmrank/plot/draw.h"
#include "dcmrank/reproduce/query_dcms.h"
#include "dcmrank/sim/report.h"
#include "suites.h"
#include "tables.h"

namespace dcmrank::bench {
namespace {

struct Arguments {
  std::vector<std::string> suites;
  std::vector<std::string> policies;
  std::vector<std::size_t> problems;
  std::uint64_t seed = 2016;
  std::uint64_t steps = 0;
  std::uint64_t runs = 0;
  std::string log;
  std::string out = "out/policies";
};

// The policies that docs/policies.md compares; the first is what the others are compared with, the
// last the recommended one, before it the one that was recommended until there were other users.
const std::vector<std::string> kPolicies{
    "dcm-kl-ucb:order=problem",
    "dcm-kl-ucb:order=problem,counting=em",
    "dcm-kl-ucb-plus:order=problem",
    "dcm-ts:order=problem",
    "dcm-ts:order=problem,counting=revised-em,placement=cheapest",
    "recommended:order=problem",
};

bool wanted(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

Problems chosen_problems(const Suite& suite, const std::vector<std::size_t>& chosen) {
  const Problems all = suite.problems();
  if (chosen.empty()) return all;
  Problems some;
  for (const std::size_t i : chosen) some.push_back(all.at(i));
  return some;
}

Problems fitted_problems(const std::string& log) {
  Problems problems;
  if (log.empty()) return problems;
  const auto queries = read_queries(open_log({log}, kYandex2011), log, kPaperQueries, {});
  for (const QueryDcm& query : queries.queries) problems.push_back({query.query, query.dcm});
  return problems;
}

void run(Suite suite, const Arguments& arguments) {
  if (arguments.steps > 0) suite.options.steps = arguments.steps;
  if (arguments.runs > 0) suite.options.runs = arguments.runs;
  const Rows rows =
      measure(chosen_problems(suite, arguments.problems), arguments.policies, suite.options);
  std::string text = fmt::format("## {}: {}, n = {}, {} runs\n\n", suite.name, suite.about,
                                 suite.options.steps, suite.options.runs);
  text += suite.summary ? summary_table(rows) : regret_table(rows) + "\n" + difference_table(rows);
  if (suite.summary) text += "\n" + failure_table(rows, arguments.policies.size() - 1);
  fmt::print("{}\n", text);
  std::fflush(stdout);
  const std::filesystem::path folder = arguments.out;
  std::ofstream(folder / (suite.name + ".md")) << text;
  std::ofstream(folder / "results.csv", std::ios::app) << csv_lines(suite.name, rows);
  if (rows.size() == 1) {
    Figure figure = results_to_figure(suite.about, Axes::kLogLog, rows.front().results);
    figure.legend = Legend::kBottomRight;  // the curves rise from the left
    draw(figure, folder / (suite.name + ".svg"));
  }
}

int main(int argc, char** argv) {
  CLI::App app{"The benchmark of the policies"};
  Arguments arguments;
  app.add_option("--suite", arguments.suites, "Only these suites");
  app.add_option("--policy", arguments.policies, "These policies instead of the documented ones");
  app.add_option("--problem", arguments.problems, "Only these problems of a suite, from 0");
  app.add_option("--seed", arguments.seed, "Users, policies and random problems follow from it");
  app.add_option("--steps", arguments.steps, "Steps instead of the suite's");
  app.add_option("--runs", arguments.runs, "Runs instead of the suite's");
  app.add_option("--log", arguments.log, "Also the DCMs of this log (yandex2011)");
  app.add_option("--out", arguments.out, "Folder of the results");
  CLI11_PARSE(app, argc, argv);
  if (arguments.policies.empty()) arguments.policies = kPolicies;
  std::filesystem::create_directories(arguments.out);
  for (const Suite& suite : suites(arguments.seed, fitted_problems(arguments.log))) {
    if (wanted(arguments.suites, suite.name)) run(suite, arguments);
  }
  return 0;
}

}  // namespace
}  // namespace dcmrank::bench

int main(int argc, char** argv) {
  try {
    return dcmrank::bench::main(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "policy_bench: {}\n", error.what());
    return 1;
  }
}
