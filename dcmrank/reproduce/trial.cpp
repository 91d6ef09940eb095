#include "dcmrank/reproduce/trial.h"

#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/atomic_file.h"
#include "dcmrank/base/error.h"
#include "dcmrank/base/json.h"
#include "dcmrank/random/rng.h"
#include "dcmrank/sim/report.h"
#include "dcmrank/users/problem.h"

namespace dcmrank {

using nlohmann::ordered_json;

namespace {

std::string hash_of(const std::string& bytes) {
  std::uint64_t hash = bytes.size();
  for (const char c : bytes) hash = mix64(hash ^ static_cast<unsigned char>(c)) + kGolden;
  return fmt::format("{:016x}", mix64(hash));
}

// The kept result under exactly this key; nothing where the file is absent, damaged or of another
// trial: then it is computed anew.
std::optional<PolicyResult> read_kept(const std::filesystem::path& file, const ordered_json& key) {
  if (!std::filesystem::exists(file)) return std::nullopt;
  try {
    const ordered_json json = parse_json(read_file(file), file);
    if (!json.is_object() || json.value("key", ordered_json()) != key) return std::nullopt;
    return result_from_json(json.at("result"));
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace

ordered_json TrialStore::key(const Trial& trial) const {
  return {{"program", program_},    {"problem", problem_to_json(trial.problem)},
          {"policy", trial.policy}, {"steps", trial.steps},
          {"runs", trial.runs},     {"seed", seed_}};
}

std::filesystem::path TrialStore::file(const ordered_json& key) const {
  return folder_ / (hash_of(key.dump()) + ".json");
}

bool TrialStore::has(const Trial& trial) const {
  const ordered_json wanted = key(trial);
  return read_kept(file(wanted), wanted).has_value();
}

void TrialStore::keep(const Trial& trial, const PolicyResult& result) const {
  const ordered_json wanted = key(trial);
  std::filesystem::create_directories(folder_);
  AtomicFile kept(file(wanted));
  kept.write(print_json({{"key", wanted}, {"result", result_to_json(result)}}));
  kept.commit();
}

std::vector<PolicyResult> TrialStore::get(std::span<const Trial> trials,
                                          const ExperimentControl& control) const {
  std::vector<PolicyResult> results(trials.size());
  std::vector<Experiment> missing;
  std::vector<std::size_t> missing_at;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const ordered_json wanted = key(trials[i]);
    if (auto kept = read_kept(file(wanted), wanted)) {
      if (control.steps_done != nullptr) *control.steps_done += trials[i].work();
      results[i] = *std::move(kept);
      continue;
    }
    const Trial& trial = trials[i];
    missing.push_back(
        {trial.problem,
         parse_policy_spec(trial.policy),
         {.steps = trial.steps, .runs = trial.runs, .seed = seed_, .curves_per_run = true}});
    missing_at.push_back(i);
  }
  run_all(missing, threads_, control, [&](std::size_t n, PolicyResult result) {
    keep(trials[missing_at[n]], result);
    results[missing_at[n]] = std::move(result);
  });
  return results;
}

std::string running_program() { return hash_of(read_file("/proc/self/exe")); }

}  // namespace dcmrank
