#include "dcmrank/users/model_problem.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/choices.h"
#include "dcmrank/base/error.h"
#include "dcmrank/base/json_fields.h"
#include "dcmrank/base/text.h"
#include "dcmrank/model_file/model_file.h"
#include "dcmrank/users/best_list.h"
#include "dcmrank/users/model_users.h"

namespace dcmrank {
namespace {

const Choices<Reward> kRewards{{"clicks", Reward::kClicks},
                               {"satisfaction", Reward::kSatisfaction}};

void check(const ModelCase& c) {
  if (c.attraction.size() < 2 || c.attraction.size() > kMaxItems) {
    throw InputError(fmt::format("\"attraction\" has {}, not 2 to {}",
                                 how_many(c.attraction.size(), "entry", "entries"), kMaxItems));
  }
  if (c.positions == 0 || c.positions > c.attraction.size()) {
    throw InputError(fmt::format("{} for {}", how_many(c.positions, "position"),
                                 how_many(c.attraction.size(), "item")));
  }
  for (std::size_t n = 0; n < c.items.size(); ++n) {
    if (c.items[n].size() == c.attraction.size()) continue;
    throw InputError(fmt::format("\"{}\" has {} for {}", c.model->items[n],
                                 how_many(c.items[n].size(), "entry", "entries"),
                                 how_many(c.attraction.size(), "item")));
  }
  for (std::size_t n = 0; n < c.lists.size(); ++n) {
    const ListParameter& list = c.model->lists[n];
    const std::size_t needed = entries(list, c.positions);
    if (c.lists[n].size() == needed) continue;
    std::string message = fmt::format("\"{}\" has {}, not {}", list.name,
                                      how_many(c.lists[n].size(), "entry", "entries"), needed);
    if (list.shape != ListShape::kNumbers) {
      message += fmt::format(" for {}", how_many(c.positions, "position"));
    }
    throw InputError(message);
  }
}

// A triangle may be written row by row.
std::vector<double> problem_list_from_json(const nlohmann::ordered_json& json,
                                           const ListParameter& list) {
  const auto& value = fields::member(json, list.name);
  if (list.shape == ListShape::kNumbers && list.numbers == 1 && value.is_number()) {
    return {fields::number(json, list.name, fields::kProbability)};
  }
  if (list.shape != ListShape::kTriangle || !value.is_array() || value.empty() ||
      !value.front().is_array()) {
    return fields::numbers(json, list.name, fields::kProbability);
  }
  std::vector<double> all;
  for (std::size_t k = 0; k < value.size(); ++k) {
    const std::string name = fmt::format("{}[{}]", list.name, k);
    const nlohmann::ordered_json row{{name, value[k]}};
    const auto numbers = fields::numbers(row, name, fields::kProbability, k + 1);
    all.insert(all.end(), numbers.begin(), numbers.end());
  }
  return all;
}

std::size_t positions_from_json(const ClickModel& model, const nlohmann::ordered_json& json,
                                const ModelCase& c) {
  if (fields::has(json, "positions")) {
    return static_cast<std::size_t>(fields::whole_number(json, "positions", 1, kMaxItems));
  }
  for (std::size_t n = 0; n < model.lists.size(); ++n) {
    if (model.lists[n].shape == ListShape::kPositions) return c.lists[n].size();
    if (model.lists[n].shape != ListShape::kTriangle) continue;
    std::size_t positions = 0;
    while (entries(model.lists[n], positions) < c.lists[n].size()) ++positions;
    return positions;
  }
  throw InputError("\"positions\" is missing");
}

std::string json_of(const ModelCase& c) {
  nlohmann::ordered_json json{{"model", c.model->name}, {"attraction", c.attraction}};
  for (std::size_t n = 0; n < c.items.size(); ++n) json[c.model->items[n]] = c.items[n];
  for (std::size_t n = 0; n < c.lists.size(); ++n) json[c.model->lists[n].name] = c.lists[n];
  json["positions"] = c.positions;
  for (const auto& [name, reward] : kRewards) {
    if (c.reward == reward) json["reward"] = name;
  }
  return json.dump();
}

ModelCase case_from_json(const ClickModel& model, const nlohmann::ordered_json& json) {
  ModelCase c{&model, 0, fields::numbers(json, "attraction", fields::kProbability), {}, {}};
  if (fields::has(json, "reward")) {
    c.reward = choose("\"reward\"", fields::string(json, "reward"), kRewards);
    resolve(model, c.reward);
  }
  for (const ItemParameter& item : model.items) {
    c.items.push_back(fields::numbers(json, item, fields::kProbability));
  }
  for (const ListParameter& list : model.lists)
    c.lists.push_back(problem_list_from_json(json, list));
  c.positions = positions_from_json(model, json, c);
  return c;
}

}  // namespace

Problem model_problem(ModelCase model_case) {
  check(model_case);
  const auto best = best_list(model_case);
  model_case.best = reward_of(model_case, best);
  ListFacts facts = facts_of(model_case, best);
  const Reward reward = resolve(*model_case.model, model_case.reward);
  const auto shared = std::make_shared<const ModelCase>(std::move(model_case));
  return OtherUsers{shared->model->name,
                    shared->attraction.size(),
                    shared->positions,
                    json_of(*shared),
                    [shared](std::uint64_t seed, std::uint64_t run) -> AnyUsers {
                      return ModelUsers(shared, seed, run);
                    },
                    std::move(facts),
                    reward == Reward::kClicks ? "clicks" : "satisfaction"};
}

Problem model_problem_from_json(const ClickModel& model, const nlohmann::ordered_json& json) {
  return model_problem(case_from_json(model, json));
}

namespace {

FittedModel numbered_model_of(const Problem& problem) {
  if (const Dcm* dcm = problem.dcm()) return model_of(*dcm);
  const ClickModel& model = click_model(problem.model(), "\"model\"");
  const ModelCase c = case_from_json(model, problem_to_json(problem));
  FittedModel fitted;
  fitted.model = model.name;
  fitted.method = "problem";
  fitted.positions = c.positions;
  FittedQuery query{"1", 1, {}, {}};
  for (std::size_t e = 0; e < c.attraction.size(); ++e) {
    FittedItem item;
    item.item = fmt::format("{}", e + 1);
    item.attraction = c.attraction[e];
    for (const auto& by_item : c.items) item.parameters.push_back(by_item[e]);
    query.items.push_back(std::move(item));
  }
  for (std::size_t n = 0; n < model.lists.size(); ++n) {
    const bool own = model.lists[n].scope == Scope::kPerQuery;
    (own ? query.lists : fitted.lists)[model.lists[n].name].values = c.lists[n];
  }
  fitted.queries.push_back(std::move(query));
  return fitted;
}

}  // namespace

FittedModel model_of(const Problem& problem) {
  FittedModel fitted = numbered_model_of(problem);
  if (const auto& names = problem.names()) {
    FittedQuery& query = fitted.queries.front();
    query.query = names->query;
    for (std::size_t e = 0; e < query.items.size(); ++e) query.items[e].item = names->items[e];
  }
  return fitted;
}

Problem model_problem_of_query(const FittedModel& fitted, const std::string& query,
                               const std::string& source) {
  const ClickModel& model = click_model(fitted.model, "\"model\"");
  const FittedQuery& chosen = find_query(fitted, query, source);
  ModelCase c{&model, std::min(fitted.positions, chosen.items.size()), {}, {}, {}};
  c.items.resize(model.items.size());
  for (const FittedItem& item : chosen.items) {
    c.attraction.push_back(item.attraction);
    for (std::size_t n = 0; n < model.items.size(); ++n) c.items[n].push_back(item.parameters[n]);
  }
  for (const ListParameter& list : model.lists) {
    c.lists.push_back(find_list(fitted, chosen, list.name).values);
    c.lists.back().resize(entries(list, c.positions), fitted.prior.mean());
  }
  try {
    return model_problem(std::move(c));
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}, query {}: {}", source, quote(chosen.query), error.what()));
  }
}

}  // namespace dcmrank
