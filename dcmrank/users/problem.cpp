#include "dcmrank/users/problem.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/choices.h"
#include "dcmrank/base/error.h"
#include "dcmrank/base/json.h"
#include "dcmrank/base/json_fields.h"
#include "dcmrank/base/mapped_file.h"
#include "dcmrank/base/registration.h"
#include "dcmrank/base/text.h"
#include "dcmrank/base/typed.h"
#include "dcmrank/model_file/compact_model.h"
#include "dcmrank/model_file/model_file.h"
#include "dcmrank/model_file/seldom_shown.h"
#include "dcmrank/model_file/stand_ins.h"
#include "dcmrank/users/dcm_users.h"
#include "dcmrank/users/model_problem.h"

namespace dcmrank {

using nlohmann::ordered_json;

namespace {

constexpr std::string_view kLowerBound = "lb:";
const std::vector<std::string> kKeys{"L", "K", "p", "gap", "gamma"};

std::map<std::string, std::string> key_values(std::string_view text) {
  std::map<std::string, std::string> values;
  for (const std::string_view part : split(text, ',')) {
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) {
      throw InputError(fmt::format("{} is not of the form key=value", quote(part)));
    }
    const std::string key(part.substr(0, equals));
    if (std::find(kKeys.begin(), kKeys.end(), key) == kKeys.end()) {
      throw InputError(fmt::format("unknown key {}{}; the keys are {}", quote(key),
                                   suggestion(key, kKeys), fmt::join(kKeys, ", ")));
    }
    if (!values.emplace(key, part.substr(equals + 1)).second) {
      throw InputError(fmt::format("{} is given twice", key));
    }
  }
  for (const std::string& key : kKeys) {
    if (!values.contains(key)) throw InputError(fmt::format("{} is missing", key));
  }
  return values;
}

std::size_t whole(const std::map<std::string, std::string>& values, const char* key) {
  const std::string& text = values.at(key);
  const auto value = parse_whole(text);
  if (!value) throw InputError(fmt::format("{} is {}, not a whole number", key, quote(text)));
  return static_cast<std::size_t>(*value);
}

double number(const std::map<std::string, std::string>& values, const char* key) {
  const std::string& text = values.at(key);
  const auto value = parse_double(text);
  if (!value) throw InputError(fmt::format("{} is {}, not a number", key, quote(text)));
  return *value;
}

std::vector<ProblemKind>& added_kinds() {
  static std::vector<ProblemKind> kinds;
  return kinds;
}

const ProblemKind* find_added(const std::string& model) {
  for (const ProblemKind& kind : added_kinds()) {
    if (kind.model == model) return &kind;
  }
  return nullptr;
}

Dcm dcm_from_json(const ordered_json& json) {
  Dcm dcm{fields::numbers(json, "attraction", fields::kAny),
          fields::numbers(json, "termination", fields::kAny)};
  check(dcm);
  return dcm;
}

// What others read may be wrong in ways that they leave to the JSON library to find.
Problem read_added(const ProblemKind& kind, const ordered_json& json) {
  if (fields::has(json, "reward")) {
    const std::string reward = fields::string(json, "reward");
    if (kind.rewards.empty()) {
      throw InputError(
          fmt::format("\"reward\" is {}: users of the model {} know one reward only; "
                      "leave it out",
                      quote(reward), quote(kind.model)));
    }
    if (std::find(kind.rewards.begin(), kind.rewards.end(), reward) == kind.rewards.end()) {
      throw_unknown("\"reward\"", reward, kind.rewards);
    }
  }
  try {
    return kind.read(json);
  } catch (const InputError&) {
    throw;
  } catch (const std::exception& error) {
    throw InputError(fmt::format("users of the model {} cannot be read: {}", quote(kind.model),
                                 json_reason(error.what())));
  }
}

const ClickModel* find_click_model(const std::string& name) {
  for (const ClickModel* model : click_models()) {
    if (model->name == name) return model;
  }
  return nullptr;
}

Problem problem_from_json(const ordered_json& json) {
  if (!json.is_object()) throw InputError("not a JSON object");
  const std::string name = fields::has(json, "model") ? fields::string(json, "model") : "dcm";
  // A DCM counts satisfied users, whether or not that is said.
  if (name == "dcm" && (!fields::has(json, "reward") || json.at("reward") == "satisfaction")) {
    return dcm_from_json(json);
  }
  const ProblemKind* kind = find_added(name);
  const ClickModel* model = find_click_model(name);
  if (kind != nullptr && model != nullptr) {  // the model was added later
    throw InputError(fmt::format("\"model\" is {}, the name of a kind of user and of a click model",
                                 quote(name)));
  }
  if (kind != nullptr) return read_added(*kind, json);
  if (model != nullptr) return model_problem_from_json(*model, json);
  std::vector<std::string> names;
  for (const ClickModel* known : click_models()) names.push_back(known->name);
  for (const ProblemKind& known : added_kinds()) names.push_back(known.model);
  throw_unknown("\"model\"", name, names);
}

// What is wrong with a file begins with its name.
template <class Read>
Problem naming(const std::string& source, Read read) {
  try {
    return read();
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", source, error.what()));
  }
}

// People write problems: of what they wrote twice, one would be ignored.
void refuse_repeated_keys(std::string_view text, const std::string& path) {
  std::vector<std::set<std::string>> open;
  const auto look = [&](int, ordered_json::parse_event_t event, ordered_json& parsed) {
    using Event = ordered_json::parse_event_t;
    if (event == Event::object_start) open.emplace_back();
    if (event == Event::object_end) open.pop_back();
    if (event == Event::key && !open.back().insert(parsed.get<std::string>()).second) {
      throw InputError(fmt::format("{}: {} is given twice", path, parsed.dump()));
    }
    return true;
  };
  [[maybe_unused]] const ordered_json whole = ordered_json::parse(text, look);
}

// A model has queries, a problem has not.
Problem read_file_of_problem(const std::string& path, const std::string& query,
                             std::uint64_t min_shown) {
  const MappedFile file(path);
  if (is_compact(file.bytes())) {
    return problem_of_query(read_model(path, query), query, path, min_shown);
  }
  refuse_logs(file.bytes(), path, "a problem or a model");
  const ordered_json json = parse_json(file.bytes(), path);
  if (json.is_object() && json.contains("queries")) {
    return problem_of_query(model_from_json(json, path), query, path, min_shown);
  }
  if (!query.empty()) throw InputError(fmt::format("--query: {} is not a model", path));
  if (min_shown > 0) throw InputError(fmt::format("--min-shown: {} is not a model", path));
  refuse_repeated_keys(file.bytes(), path);
  return naming(path, [&] { return problem_from_json(json); });
}

}  // namespace

Problem problem_of_query(const FittedModel& model, const std::string& query,
                         const std::string& path, std::uint64_t min_shown) {
  // The query alone: what stands in for what is not known is written into it.
  FittedModel one;
  one.model = model.model;
  one.method = model.method;
  one.positions = model.positions;
  one.prior = model.prior;
  one.lists = model.lists;
  one.queries = {find_query(model, query, path)};
  const std::string left_out = leave_out_seldom(one, one.queries.front(), min_shown, path);
  std::string note = stand_in(one, query, path);
  const Problem problem = one.model == "dcm" ? Problem(dcm_of(one, query, path))
                                             : model_problem_of_query(one, query, path);
  for (const std::string& more :
       {unfinished_note(model, path), left_out, seldom_note(one, one.queries.front())}) {
    if (more.empty()) continue;
    note += note.empty() ? fmt::format("{}: {}", path, more) : fmt::format("; {}", more);
  }
  ProblemNames names{one.queries.front().query, {}};
  for (const FittedItem& item : one.queries.front().items) names.items.push_back(item.item);
  return problem.with_note(std::move(note)).with_names(std::move(names));
}

Problem with_reward(const Problem& problem, const std::string& reward) {
  if (reward.empty()) return problem;
  if (problem.dcm() != nullptr && reward == "satisfaction") return problem;  // as it is
  ordered_json json = problem_to_json(problem);
  if (!fields::has(json, "model")) json["model"] = problem.model();
  json["reward"] = reward;
  return naming("--reward", [&] {
    return problem_from_json(json).with_note(problem.note()).with_names(problem.names());
  });
}

LowerBoundClass parse_lower_bound_class(std::string_view text) {
  const auto values = key_values(text);
  return {whole(values, "L"), whole(values, "K"), number(values, "p"), number(values, "gap"),
          number(values, "gamma")};
}

Problem parse_problem(std::string_view json, const std::string& source) {
  const ordered_json parsed = parse_json(json, source);
  return naming(source, [&] { return problem_from_json(parsed); });
}

Problem read_problem(const std::string& spec, const std::string& query, const std::string& reward,
                     std::uint64_t min_shown) {
  if (!reward.empty()) return with_reward(read_problem(spec, query, "", min_shown), reward);
  if (!spec.starts_with(kLowerBound)) return read_file_of_problem(spec, query, min_shown);
  if (!query.empty()) throw InputError("--query: the problem is not a model");
  if (min_shown > 0) throw InputError("--min-shown: the problem is not a model");
  return naming(fmt::format("--problem {}", quote(spec)), [&] {
    return make_dcm(parse_lower_bound_class(std::string_view(spec).substr(kLowerBound.size())));
  });
}

Dcm read_dcm(const std::string& spec, const std::string& query, const std::string& what,
             std::string* note, std::uint64_t min_shown) {
  const Problem problem = read_problem(spec, query, "", min_shown);
  if (note != nullptr) *note = problem.note();
  if (problem.dcm() != nullptr) return *problem.dcm();
  throw InputError(fmt::format("--problem {}: its users are of the model {}; {} a DCM", quote(spec),
                               quote(problem.model()), what));
}

bool follows_click_model(const Problem& problem) {
  return find_click_model(problem.model()) != nullptr;
}

void add_problem_kind(ProblemKind kind) {
  if (find_click_model(kind.model) != nullptr || find_added(kind.model) != nullptr) {
    refuse_registration(fmt::format("a kind of user {} already exists", quote(kind.model)));
  }
  if (kind.model.empty() || !kind.read) {
    refuse_registration(
        fmt::format("the kind of user {} has no name or no reader", quote(kind.model)));
  }
  if (!can_be_typed(kind.model)) {
    refuse_registration(fmt::format("{} cannot be the name of a kind of user: {}",
                                    quote(kind.model), kWhatCanBeTyped));
  }
  added_kinds().push_back(std::move(kind));
}

}  // namespace dcmrank
