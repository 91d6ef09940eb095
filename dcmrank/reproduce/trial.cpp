#include "dcmrank/reproduce/trial.h"

#include <array>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/io/atomic_file.h"
#include "dcmrank/io/error.h"
#include "dcmrank/io/json.h"
#include "dcmrank/io/problem.h"
#include "dcmrank/random/rng.h"
#include "dcmrank/sim/report.h"

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

PolicyResult TrialStore::get(const Trial& trial, const ExperimentControl& control) const {
  const ordered_json wanted = key(trial);
  const auto path = file(wanted);
  if (auto kept = read_kept(path, wanted)) {
    if (control.steps_done != nullptr) *control.steps_done += trial.work();
    return *std::move(kept);
  }
  const std::array<PolicySpec, 1> policy{parse_policy_spec(trial.policy)};
  auto result = compare(
      trial.problem, policy,
      {.steps = trial.steps, .runs = trial.runs, .seed = seed_, .threads = threads_}, control);
  std::filesystem::create_directories(folder_);
  AtomicFile kept(path);
  kept.write(print_json({{"key", wanted}, {"result", result_to_json(result[0])}}));
  kept.commit();
  return std::move(result[0]);
}

std::string running_program() { return hash_of(read_file("/proc/self/exe")); }

}  // namespace dcmrank
