#include "dcmrank/grid/trial.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/atomic_file.h"
#include "dcmrank/base/error.h"
#include "dcmrank/base/json.h"
#include "dcmrank/base/text.h"
#include "dcmrank/grid/running_program.h"
#include "dcmrank/sim/report.h"
#include "dcmrank/users/problem.h"

namespace dcmrank {

using nlohmann::ordered_json;

namespace {

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

Experiment experiment_of(const Trial& trial, std::uint64_t seed) {
  return {trial.problem,
          parse_policy_spec(trial.policy),
          {.steps = trial.steps,
           .runs = trial.runs,
           .seed = seed,
           .delay = trial.delay,
           .depths = trial.depths,
           .curves_per_run = trial.curves_per_run}};
}

// A trial that is computed now, and where its result is wanted.
struct Missing {
  ordered_json key;
  std::vector<std::size_t> wanted_at;
};

}  // namespace

ordered_json TrialStore::key(const Trial& trial) const {
  ordered_json key{{"program", program_},    {"problem", problem_to_json(trial.problem)},
                   {"policy", trial.policy}, {"steps", trial.steps},
                   {"runs", trial.runs},     {"seed", seed_}};
  if (trial.delay > 0) key["delay"] = trial.delay;
  if (!trial.depths.empty()) key["depth"] = trial.depths;
  if (!trial.curves_per_run) key["curves_per_run"] = false;
  return key;
}

std::filesystem::path TrialStore::file(const ordered_json& key) const {
  return folder_ / (name_of_text(key.dump()) + ".json");
}

bool TrialStore::has(const Trial& trial) const {
  const ordered_json wanted = key(trial);
  return read_kept(file(wanted), wanted).has_value();
}

void TrialStore::keep(const ordered_json& key, const PolicyResult& result) const {
  std::filesystem::create_directories(folder_);
  AtomicFile kept(file(key));
  kept.write(print_json({{"key", key}, {"result", result_to_json(result)}}));
  kept.commit();
}

std::vector<PolicyResult> TrialStore::get(std::span<const Trial> trials,
                                          const ExperimentControl& control) const {
  std::vector<PolicyResult> results(trials.size());
  std::vector<Experiment> experiments;
  std::vector<Missing> missing;                       // of each experiment
  std::map<std::string, std::size_t> missing_by_key;  // the place in both
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (control.stop.stop_requested()) throw Interrupted();
    ordered_json wanted = key(trials[i]);
    const auto same = missing_by_key.find(wanted.dump());
    if (same != missing_by_key.end()) {
      missing[same->second].wanted_at.push_back(i);
    } else if (auto kept = read_kept(file(wanted), wanted)) {
      results[i] = *std::move(kept);
    } else {
      missing_by_key.emplace(wanted.dump(), missing.size());
      experiments.push_back(experiment_of(trials[i], seed_));
      missing.push_back({std::move(wanted), {i}});
      continue;
    }
    if (control.steps_done != nullptr) *control.steps_done += trials[i].work();
  }
  run_all(experiments, threads_, control, [&](std::size_t n, const PolicyResult& result) {
    keep(missing[n].key, result);
    for (const std::size_t i : missing[n].wanted_at) results[i] = result;
  });
  return results;
}

std::vector<Trial> trials_of(const GridPart& part, std::span<const Trial> trials) {
  std::vector<Trial> mine;
  for (std::size_t i = part.part - 1; i < trials.size(); i += part.of) mine.push_back(trials[i]);
  return mine;
}

GridPart parse_grid_part(const std::string& option, const std::string& text) {
  const std::size_t slash = text.find('/');
  const auto part = parse_unsigned(text.substr(0, slash));
  const auto of =
      slash == std::string::npos ? std::nullopt : parse_unsigned(text.substr(slash + 1));
  if (!part || !of || *part == 0 || *part > *of) {
    throw InputError(
        fmt::format("{} is {}, not a part of several, such as 1/5", option, quote(text)));
  }
  return {*part, *of};
}

void forget_trials(const std::filesystem::path& folder) {
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
    const std::string name = entry.path().filename().string();
    const bool is_kept = name.size() == 21 && name.ends_with(".json") &&
                         name.find_first_not_of("0123456789abcdef") == 16;
    if (is_kept) std::filesystem::remove(entry.path());
  }
}

}  // namespace dcmrank
