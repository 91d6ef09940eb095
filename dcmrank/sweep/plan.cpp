#include "dcmrank/sweep/plan.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/choices.h"
#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/sim/experiment.h"
#include "dcmrank/sweep/columns.h"
#include "dcmrank/sweep/values.h"
#include "dcmrank/toml/toml.h"
#include "dcmrank/worlds/random_world.h"

namespace dcmrank {
namespace {

constexpr std::uint64_t kMostSteps = 1'000'000'000;
constexpr std::uint64_t kMostRuns = 100'000;
constexpr std::uint64_t kMostProblems = 100'000;
constexpr std::uint64_t kMostExact = std::uint64_t{1} << 53U;  // whole numbers of a double
constexpr Limits kProbability{0, 1};

std::string identity_of(const SweepProblem& one) {
  const std::size_t hash = std::hash<std::string>{}(problem_to_json(one.problem).dump());
  return fmt::format("{} {}", one.name, hash);
}

/// One [[problems]] table, while it is read.
struct Group {
  const TomlValue* table;
  std::filesystem::path folder;  // of the sweep file
  std::vector<SweepProblem>* problems;
  std::vector<std::string>* files;  // that are read
  std::set<std::string>* seen;      // problems, each as its name and what it is

  const TomlValue* find(std::string_view name) const { return table->find(name); }
  const TomlValue& at(std::string_view name) const {
    const TomlValue* value = find(name);
    if (value != nullptr) return *value;
    throw InputError(fmt::format("{}: the problems have no \"{}\"", table->where, name));
  }
  // Throws InputError that names all that are missing.
  void need(const std::vector<std::string>& names) const {
    std::vector<std::string> missing;
    for (const std::string& name : names) {
      if (find(name) == nullptr) missing.push_back(fmt::format("\"{}\"", name));
    }
    if (missing.empty()) return;
    throw InputError(
        fmt::format("{}: the problems have no {}", table->where, fmt::join(missing, ", ")));
  }
  void check_members(std::vector<std::string> known) const {
    known.emplace_back("reward");
    dcmrank::check_members(*table, known, "this table of problems");
  }
  std::string path(const std::string& name) const {
    return files->emplace_back((folder / name).string());
  }

  // What is wrong with a problem is told with the place that asked for it.
  void add(const TomlValue& place, const std::function<SweepProblem()>& make) const {
    const TomlValue* value = find("reward");
    const std::string reward = value == nullptr ? "" : value->text();
    try {
      SweepProblem one = make();
      if (!reward.empty()) one.problem = with_reward(one.problem, reward);
      if (!seen->insert(identity_of(one)).second) {
        throw InputError(fmt::format("{} is in the grid twice", one.name));
      }
      problems->push_back(std::move(one));
    } catch (const InputError& error) {
      std::string_view why = error.what();
      if (why.starts_with("--")) why.remove_prefix(2);  // an option elsewhere is a field here
      throw InputError(fmt::format("{}: {}", place.where, why));
    }
    if (problems->size() > kMostProblems) {
      throw InputError(fmt::format("{}: more than {} problems", place.where, kMostProblems));
    }
  }
};

// Every combination of the values of the axes: calls `use` with one value of each.
void for_each_combination(const std::vector<std::vector<double>>& axes,
                          const std::function<void(const std::vector<double>&)>& use) {
  std::vector<std::size_t> at(axes.size(), 0);
  while (true) {
    std::vector<double> values;
    for (std::size_t a = 0; a < axes.size(); ++a) values.push_back(axes[a][at[a]]);
    use(values);
    std::size_t a = axes.size();
    while (a > 0 && ++at[a - 1] == axes[a - 1].size()) at[--a] = 0;
    if (a == 0) return;
  }
}

void add_class(const Group& group) {
  group.check_members({"class", "L", "K", "p", "gap", "gamma"});
  const std::string& name = group.at("class").text();
  if (name != "lb")
    throw_unknown(group.at("class").where + ": class", name, std::vector<std::string>{"lb"});
  group.need({"L", "K", "p", "gap", "gamma"});
  const auto sizes = [&](const char* field) {
    const auto counts = counts_of(group.at(field), 1, kMaxItems);
    return std::vector<double>(counts.begin(), counts.end());
  };
  for_each_combination(
      {sizes("L"), sizes("K"), numbers_of(group.at("p"), kProbability),
       numbers_of(group.at("gap"), kProbability), numbers_of(group.at("gamma"), kProbability)},
      [&](const std::vector<double>& v) {
        const std::string parameters =
            fmt::format("L={},K={},p={},gap={},gamma={}", v[0], v[1], v[2], v[3], v[4]);
        group.add(group.at("class"), [&] {
          return SweepProblem{
              "lb:" + parameters,
              make_dcm(parse_lower_bound_class(parameters)),
              {{"source", "class lb"}, {"p", v[2]}, {"gap", v[3]}, {"gamma", v[4]}}};
        });
      });
}

void add_files(const Group& group) {
  group.check_members({"files"});
  for (const std::string& file : texts_of(group.at("files"))) {
    group.add(group.at("files"), [&] {
      World world = world_of_file(group.path(file));
      return SweepProblem{world.name, std::move(world.problem), {{"source", file}}};
    });
  }
}

void add_model(const Group& group) {
  group.check_members({"model", "top", "queries", "min_shown"});
  const TomlValue& model = group.at("model");
  const std::string path = group.path(model.text());
  const TomlValue* queries = group.find("queries");
  if ((queries == nullptr) == (group.find("top") == nullptr)) {
    throw InputError(fmt::format("{}: a model needs one of \"top\" and \"queries\"", model.where));
  }
  const TomlValue* least = group.find("min_shown");
  const std::uint64_t min_shown = least == nullptr ? 0 : count_of(*least, 0, kMostExact);
  const auto add = [&](const std::string& name, const std::string& query, const auto& problem) {
    group.add(model, [&] {
      SweepProblem one{name, problem(), {{"source", model.text()}, {"query", query}}};
      if (least != nullptr) one.parameters.emplace_back("min_shown", min_shown);
      return one;
    });
  };
  if (queries != nullptr) {
    for (const std::string& query : texts_of(*queries)) {
      add("query " + query, query, [&] { return read_problem(path, query, "", min_shown); });
    }
    return;
  }
  const std::uint64_t top = count_of(group.at("top"), 1, kMostProblems);
  for (const World& world : worlds_of_model(path, top, min_shown)) {
    add(world.name, world.name.substr(std::string_view("query ").size()),
        [&] { return world.problem; });
  }
}

std::vector<double> axis_of(const TomlValue* value) {
  if (value == nullptr) return {0};  // drawn
  const auto counts = counts_of(*value, 1, kMaxItems);
  return {counts.begin(), counts.end()};
}

void add_random(const Group& group) {
  group.check_members({"random", "count", "seed", "L", "K", "attraction"});
  const TomlValue& random = group.at("random");
  const std::uint64_t count = count_of(group.at("count"), 1, kMostProblems);
  const TomlValue* seed_value = group.find("seed");
  const std::uint64_t seed = seed_value == nullptr ? 1 : count_of(*seed_value, 0, kMostExact);
  FixedParts fixed;
  if (const TomlValue* range = group.find("attraction")) {
    const auto ends = numbers_of(*range, kProbability);
    if (ends.size() != 2 || ends[0] > ends[1]) {
      throw InputError(
          fmt::format("{}: attraction is a range of two numbers, [0.02, 0.5]", range->where));
    }
    fixed.attraction = {ends[0], ends[1]};
  }
  const auto given = [](double value) {
    return value == 0 ? std::nullopt : std::optional(static_cast<std::size_t>(value));
  };
  const auto add = [&](const std::string& kind) {
    for (std::uint64_t n = 1; n <= count; ++n) {
      group.add(random, [&] {
        World world = random_world(kind, seed, n, "random", fixed);
        return SweepProblem{world.name,
                            std::move(world.problem),
                            {{"source", "random"}, {"world_seed", seed}, {"number", n}}};
      });
    }
  };
  for (const std::string& kind : texts_of(random)) {
    for_each_combination({axis_of(group.find("L")), axis_of(group.find("K"))},
                         [&](const std::vector<double>& v) {
                           fixed.items = given(v[0]);
                           fixed.positions = given(v[1]);
                           add(kind);
                         });
  }
}

struct Source {
  std::string name;
  void (*add)(const Group& group);
};
const std::vector<Source>& sources() {
  static const std::vector<Source> all{
      {"class", add_class}, {"files", add_files}, {"model", add_model}, {"random", add_random}};
  return all;
}

void add_group(const Group& group) {
  const Source* chosen = nullptr;
  for (const Source& source : sources()) {
    if (group.find(source.name) == nullptr) continue;
    if (chosen != nullptr) {
      throw InputError(fmt::format("{}: a table of problems has \"{}\" or \"{}\", not both",
                                   group.table->where, chosen->name, source.name));
    }
    chosen = &source;
  }
  if (chosen == nullptr) {
    throw InputError(fmt::format("{}: a table of problems needs one of {}", group.table->where,
                                 fmt::join(names_of(sources(), &Source::name), ", ")));
  }
  chosen->add(group);
}

const TomlValue& needed(const TomlValue& file, std::string_view name, const std::string& path) {
  const TomlValue* value = file.find(name);
  if (value == nullptr) throw InputError(fmt::format("{}: \"{}\" is missing", path, name));
  return *value;
}

// Problems of one name that count other rewards are told apart by them.
void name_rewards(std::vector<SweepProblem>& problems) {
  std::map<std::string, std::set<std::string>> rewards;  // by name
  for (const SweepProblem& one : problems) rewards[one.name].insert(one.problem.reward());
  for (SweepProblem& one : problems) {
    const auto kinds = rewards.find(one.name);
    if (kinds != rewards.end() && kinds->second.size() > 1)
      one.name += fmt::format(" ({})", one.problem.reward());
  }
}

// What problems of one name may differ in, in the words of their names: empty where a problem has
// none of it.
std::vector<std::string> tellings_of(const SweepProblem& one) {
  const auto size = [](const char* name, std::size_t n) { return fmt::format("{} = {}", name, n); };
  const std::string items = size("L", one.problem.items());
  const std::string positions = size("K", one.problem.positions());
  std::vector<std::string> tellings{positions, items, items + ", " + positions};
  for (const char* name : {"min_shown", "world_seed"}) {
    const auto found = std::find_if(one.parameters.begin(), one.parameters.end(),
                                    [&](const auto& parameter) { return parameter.first == name; });
    tellings.push_back(
        found == one.parameters.end() ? "" : fmt::format("{} = {}", name, text_in(found->second)));
  }
  return tellings;
}

// Problems of one name that have other sizes, say, are told apart by the first of these in which
// all differ.
void name_differences(std::vector<SweepProblem>& problems) {
  std::map<std::string, std::vector<std::size_t>> groups;  // by name
  for (std::size_t p = 0; p < problems.size(); ++p) groups[problems[p].name].push_back(p);
  for (const auto& [name, group] : groups) {
    if (group.size() < 2) continue;
    std::vector<std::vector<std::string>> tellings;
    for (const std::size_t p : group) tellings.push_back(tellings_of(problems[p]));
    for (std::size_t t = 0; t < tellings.front().size(); ++t) {
      std::set<std::string> values;
      for (const auto& own : tellings) values.insert(own[t]);
      if (values.size() < group.size()) continue;
      for (std::size_t n = 0; n < group.size(); ++n) {
        if (!tellings[n][t].empty())
          problems[group[n]].name += fmt::format(" ({})", tellings[n][t]);
      }
      break;
    }
  }
}

void check_policies(const SweepPlan& plan, const TomlValue& place) {
  for (const std::string& policy : plan.policies) {
    for (const SweepProblem& one : plan.problems) {
      try {
        make_policy(parse_policy_spec(policy), case_of(one.problem, plan.steps.front()));
      } catch (const InputError& error) {
        throw InputError(fmt::format("{}: on {}: {}", place.where, one.name, error.what()));
      }
    }
  }
}

}  // namespace

SweepPlan parse_sweep(std::string_view text, const std::string& file) {
  const TomlValue top = parse_toml(text, file);
  check_members(top, {"policies", "steps", "runs", "seed", "problems"}, "a sweep");
  SweepPlan plan;
  const TomlValue& policies = needed(top, "policies", file);
  plan.policies = texts_of(policies);
  plan.steps = counts_of(needed(top, "steps", file), 1, kMostSteps);
  plan.runs = count_of(needed(top, "runs", file), 1, kMostRuns);
  const TomlValue* seed = top.find("seed");
  plan.seed = seed == nullptr ? 1 : count_of(*seed, 0, kMostExact);
  const TomlValue& groups = needed(top, "problems", file);
  constexpr std::string_view kDemand = "one or more tables [[problems]]";
  if (groups.array(kDemand).empty()) groups.refuse(kDemand);
  const auto folder = std::filesystem::path(file).parent_path();
  std::set<std::string> seen;
  for (const TomlValue& group : groups.array(kDemand)) {
    group.table(kDemand);
    add_group({&group, folder, &plan.problems, &plan.files, &seen});
  }
  if (plan.cells() > kMostCells) {
    throw InputError(fmt::format("{}: {} cells, more than {}", file, plan.cells(), kMostCells));
  }
  name_rewards(plan.problems);
  name_differences(plan.problems);
  const auto names = distinct(names_of(plan.problems, &SweepProblem::name));
  for (std::size_t p = 0; p < names.size(); ++p) plan.problems[p].name = names[p];
  check_policies(plan, policies);
  return plan;
}

}  // namespace dcmrank
