// The benchmark behind docs/policies.md.
#include <exception>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "suites.h"
#include "tables.h"

namespace dcmrank::bench {
namespace {

struct Arguments {
  std::vector<std::string> suites;
  std::vector<std::string> policies;
  std::uint64_t steps = 0;
  std::uint64_t seed = 2016;
};

void run(const Suite& suite, const std::vector<std::string>& policies) {
  fmt::print("## {}: {}, n = {}, runs {}\n\n", suite.name, suite.about, suite.options.steps,
             suite.options.runs);
  const Rows rows = measure(suite.problems(), policies, suite.options);
  fmt::print("{}\n", suite.summary ? summary_table(rows) : regret_table(rows));
  if (suite.summary) fmt::print("{}\n", failure_table(rows, policies.size() - 1));
  std::fflush(stdout);
}

int main(int argc, char** argv) {
  CLI::App app{"The benchmark of the policies"};
  Arguments arguments;
  app.add_option("--suite", arguments.suites);
  app.add_option("--policy", arguments.policies);
  app.add_option("--steps", arguments.steps);
  app.add_option("--seed", arguments.seed);
  CLI11_PARSE(app, argc, argv);
  for (Suite suite : suites(arguments.seed)) {
    if (!arguments.suites.empty() && std::find(arguments.suites.begin(), arguments.suites.end(),
                                               suite.name) == arguments.suites.end()) {
      continue;
    }
    if (arguments.steps > 0) suite.options.steps = arguments.steps;
    run(suite, arguments.policies);
  }
  return 0;
}

}  // namespace
}  // namespace dcmrank::bench

int main(int argc, char** argv) { return dcmrank::bench::main(argc, argv); }
