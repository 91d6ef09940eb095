#include "dcmrank/sim/saved_runs.h"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/error.h"
#include "dcmrank/base/json_fields.h"
#include "dcmrank/base/json_format.h"
#include "dcmrank/base/parallel.h"
#include "dcmrank/base/text.h"
#include "dcmrank/registry/saved_rng.h"

namespace dcmrank {

using nlohmann::ordered_json;

namespace {

constexpr const char* kSavedFormat = "dcmrank.simulated-policy";
constexpr int kSavedVersion = 1;
constexpr std::uint64_t kMost = std::uint64_t{1} << 62U;

SavedRuns saved_from(const ordered_json& json) {
  check_format(json, kSavedFormat, kSavedVersion);
  SavedRuns saved{parse_policy_spec(fields::string(json, "policy")),
                  parse_problem(fields::object(json, "problem").dump(), "\"problem\""),
                  fields::whole_number(json, "horizon", 1, kMost),
                  fields::whole_number(json, "seed", 0, UINT64_MAX),
                  fields::whole_number(json, "first_run", 0, kMost),
                  fields::whole_number(json, "users", 1, kMost),
                  {}};
  for (const ordered_json& run : fields::array(json, "runs")) {
    AnyPolicy policy = make_policy(saved.policy, case_of(saved.problem, saved.horizon));
    try {
      policy.load(fields::object(run, "state"));
    } catch (const InputError& error) {
      throw InputError(fmt::format("runs[{}]: {}", saved.runs.size(), error.what()));
    }
    saved.runs.push_back({std::move(policy), saved.policy.text, rng_from_json(run)});
  }
  if (saved.runs.empty()) throw InputError("\"runs\" is empty");
  return saved;
}

}  // namespace

SavedRuns new_runs(const Problem& problem, const PolicySpec& policy,
                   const ExperimentOptions& options) {
  SavedRuns saved{policy, problem, options.steps, options.seed, options.first_run, 0, {}};
  for (std::uint64_t r = 0; r < options.runs; ++r) {
    AnyPolicy made = make_policy(policy, case_of(problem, options.steps));
    if (!made.can_save()) {
      throw InputError(fmt::format("the policy {} cannot be saved", quote(policy.text)));
    }
    saved.runs.push_back(
        new_policy(std::move(made), policy.text, options.seed, options.first_run + r));
  }
  return saved;
}

ordered_json saved_runs_to_json(const SavedRuns& saved) {
  ordered_json runs = ordered_json::array();
  for (const SimulatedPolicy& run : saved.runs) {
    runs.push_back({{"generator", rng_to_json(run.rng)}, {"state", run.policy.save()}});
  }
  return {{"format", kSavedFormat},       {"version", kSavedVersion},
          {"policy", saved.policy.text},  {"problem", problem_to_json(saved.problem.with_note(""))},
          {"horizon", saved.horizon},     {"seed", saved.seed},
          {"first_run", saved.first_run}, {"users", saved.users},
          {"runs", std::move(runs)}};
}

SavedRuns saved_runs_from_json(const ordered_json& json, const std::string& source) {
  try {
    return saved_from(json);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", source, error.what()));
  }
}

std::vector<PolicyResult> compare_saved(const Problem& problem, std::vector<SavedRuns>& policies,
                                        const ExperimentOptions& options,
                                        const ExperimentControl& control) {
  for (const SavedRuns& saved : policies) {
    if (saved.problem.items() == problem.items() &&
        saved.problem.positions() == problem.positions()) {
      continue;
    }
    throw InputError(
        fmt::format("the policy {} was made for L = {}, K = {}, not for L = {}, K = {}",
                    quote(saved.policy.text), saved.problem.items(), saved.problem.positions(),
                    problem.items(), problem.positions()));
  }
  check_users(problem, options);
  std::vector<std::vector<RunTrace>> traces(policies.size(), std::vector<RunTrace>(options.runs));
  parallel_for(
      policies.size() * options.runs, resolve_threads(options.threads), [&](std::size_t job) {
        const std::size_t p = job / options.runs;
        const std::size_t r = job % options.runs;
        traces[p][r] =
            continue_run(problem, policies[p].runs[r], options, options.first_run + r, control);
      });
  std::vector<PolicyResult> results;
  for (std::size_t p = 0; p < policies.size(); ++p) {
    policies[p].users += options.steps;
    results.push_back(summarise_runs(policies[p].policy.text, traces[p], options));
  }
  return results;
}

}  // namespace dcmrank
