#include "dcmrank/users/model_users.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/choices.h"
#include "dcmrank/base/error.h"
#include "dcmrank/base/json_fields.h"
#include "dcmrank/base/text.h"
#include "dcmrank/click_model/model_file.h"
#include "dcmrank/random/rng.h"

namespace dcmrank {
namespace {

const Choices<Reward> kRewards{{"clicks", Reward::kClicks},
                               {"satisfaction", Reward::kSatisfaction}};

// The parameters of a shown list. The page is this thread's, and valid until the next call.
const PageParameters& page_of(const ModelCase& model_case, std::span<const Item> list) {
  thread_local PageParameters page;
  const auto pick = [&](const std::vector<double>& by_item, std::vector<double>& by_position) {
    by_position.resize(list.size());
    for (std::size_t k = 0; k < list.size(); ++k) by_position[k] = by_item[list[k]];
  };
  pick(model_case.attraction, page.attraction);
  page.items.resize(model_case.items.size());
  for (std::size_t n = 0; n < page.items.size(); ++n) pick(model_case.items[n], page.items[n]);
  page.lists = model_case.lists;
  return page;
}

// Positions, from the one for the best item on.
std::vector<std::size_t> position_order(const ModelCase& model_case) {
  std::vector<double> worth;
  for (std::size_t n = 0; n < model_case.lists.size(); ++n) {
    if (model_case.model->lists[n].ranks_positions) worth = model_case.lists[n];
  }
  worth.resize(model_case.positions, 0);
  return decreasing_order(worth);
}

// All items, the most attractive in the order of the positions.
std::vector<Item> sorted_items(const ModelCase& model_case,
                               const std::vector<std::size_t>& positions) {
  const auto items = decreasing_order(model_case.attraction);
  std::vector<Item> order(items.begin(), items.end());
  for (std::size_t n = 0; n < positions.size(); ++n) {
    order[positions[n]] = static_cast<Item>(items[n]);
  }
  return order;
}

double reward_of(const ModelCase& model_case, std::span<const Item> list) {
  return expected_reward(*model_case.model, page_of(model_case, list), model_case.reward);
}

// Whether the best list is known to be the sorted one.
bool is_sorted_best(const ModelCase& model_case) {
  return model_case.model->best_by_attraction && resolve(*model_case.model, model_case.reward) ==
                                                     resolve(*model_case.model, Reward::kUsual);
}

// Exchanges that make the first positions of `order` a better list; whether there was one.
bool improve(const ModelCase& model_case, std::vector<Item>& order, double& reward) {
  bool improved = false;
  const auto shown = [&] { return std::span<const Item>(order).first(model_case.positions); };
  for (std::size_t a = 0; a < model_case.positions; ++a) {
    for (std::size_t b = a + 1; b < order.size(); ++b) {
      std::swap(order[a], order[b]);
      const double now = reward_of(model_case, shown());
      if (now > reward + 1e-12) {
        reward = now;
        improved = true;
      } else {
        std::swap(order[a], order[b]);
      }
    }
  }
  return improved;
}

// Few enough to look at each.
bool all_lists_can_be_tried(const ModelCase& c) {
  constexpr std::size_t kMost = 10'000;
  std::size_t lists = 1;
  for (std::size_t k = 0; k < c.positions; ++k) {
    lists *= c.attraction.size() - k;
    if (lists > kMost) return false;
  }
  return true;
}

// The best of all lists that begin with the first `placed` of `order`.
void try_all(const ModelCase& c, std::size_t placed, std::vector<Item>& order, double& reward,
             std::vector<Item>& best) {
  const auto shown = std::span<const Item>(order).first(c.positions);
  if (placed == c.positions) {
    const double now = reward_of(c, shown);
    if (now <= reward + 1e-12) return;
    reward = now;
    best.assign(shown.begin(), shown.end());
    return;
  }
  for (std::size_t n = placed; n < order.size(); ++n) {
    std::swap(order[placed], order[n]);
    try_all(c, placed + 1, order, reward, best);
    std::swap(order[placed], order[n]);
  }
}

// How likely each position of a list is examined: P(click) / attraction, which no model needs to be
// asked for.
std::vector<double> examination_of(const ModelCase& c, std::span<const Item> list) {
  const PageParameters& page = page_of(c, list);
  std::vector<double> examination(c.positions);
  c.model->full(page, examination);
  for (std::size_t k = 0; k < c.positions; ++k) {
    const double w = page.attraction[k];
    examination[k] = w > 0 ? std::min(1.0, examination[k] / w) : 1;
  }
  return examination;
}

// Of the orders of positions that a sorted list may follow, the one with the highest reward: the
// model's own, from the top, by examination.
std::vector<std::size_t> best_order(const ModelCase& c, std::span<const Item> best) {
  const std::vector<std::vector<std::size_t>> orders{
      position_order(c), decreasing_order(std::vector<double>(c.positions, 0)),
      decreasing_order(examination_of(c, best))};
  const auto reward = [&](const std::vector<std::size_t>& order) {
    return reward_of(c, std::span<const Item>(sorted_items(c, order)).first(c.positions));
  };
  std::size_t chosen = 0;
  for (std::size_t n = 1; n < orders.size(); ++n) {
    if (reward(orders[n]) > reward(orders[chosen]) + 1e-12) chosen = n;
  }
  return orders[chosen];
}

void check(const ModelCase& c) {
  if (c.attraction.size() < 2 || c.attraction.size() > kMaxItems) {
    throw InputError(
        fmt::format("\"attraction\" has {} entries, not 2 to {}", c.attraction.size(), kMaxItems));
  }
  if (c.positions == 0 || c.positions > c.attraction.size()) {
    throw InputError(fmt::format("{} positions for {} items", c.positions, c.attraction.size()));
  }
  for (std::size_t n = 0; n < c.items.size(); ++n) {
    if (c.items[n].size() == c.attraction.size()) continue;
    throw InputError(fmt::format("\"{}\" has {} entries for {} items", c.model->items[n],
                                 c.items[n].size(), c.attraction.size()));
  }
  for (std::size_t n = 0; n < c.lists.size(); ++n) {
    const std::size_t needed = entries(c.model->lists[n], c.positions);
    if (c.lists[n].size() == needed) continue;
    throw InputError(fmt::format("\"{}\" has {} entries, not {} for {} positions",
                                 c.model->lists[n].name, c.lists[n].size(), needed, c.positions));
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

ListFacts facts_of(const ModelCase& c, const std::vector<Item>& best) {
  ListFacts facts;
  facts.order = is_sorted_best(c) ? position_order(c) : best_order(c, best);
  facts.searched = !is_sorted_best(c) && !all_lists_can_be_tried(c);
  auto sorted = sorted_items(c, facts.order);
  sorted.resize(c.positions);
  facts.floor = std::max(0.0, c.best - reward_of(c, sorted));
  facts.examination = examination_of(c, best);
  return facts;
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

ModelUsers::ModelUsers(std::shared_ptr<const ModelCase> model_case, std::uint64_t seed,
                       std::uint64_t run)
    : case_(std::move(model_case)), key_(stream_key(Stream::kUsers, seed, run)) {}

double ModelUsers::visit(std::uint64_t t, std::span<const Item> list,
                         std::span<std::uint8_t> clicks) const {
  thread_local std::vector<double> p;
  const std::uint64_t key = subkey(key_, 2 * t);
  const PageParameters& page = page_of(*case_, list);
  p.resize(clicks.size());
  std::fill(clicks.begin(), clicks.end(), std::uint8_t{0});
  double sum = 0;
  // P(c_k | c_<k) needs the clicks above k alone: each call fixes one more.
  for (std::size_t k = 0; k < clicks.size(); ++k) {
    const std::span<double> known = std::span(p).first(k + 1);
    case_->model->conditional(page, Clicks(clicks).first(k + 1), known);
    clicks[k] = to_unit(subkey(key, list[k])) < known[k] ? 1 : 0;
    sum += clicks[k];
  }
  const bool counts = resolve(*case_->model, case_->reward) == Reward::kClicks;
  return counts ? sum : case_->model->satisfaction(page);
}

void ModelUsers::initial_sample(std::span<std::uint8_t> attracted) const {
  const std::uint64_t key = subkey(key_, 0);
  for (std::size_t e = 0; e < attracted.size(); ++e) {
    attracted[e] = to_unit(subkey(key, e)) < case_->attraction[e] ? 1 : 0;
  }
}

double ModelUsers::expected_reward(std::span<const Item> list) const {
  return reward_of(*case_, list);
}

std::vector<Item> best_list(const ModelCase& model_case) {
  std::vector<Item> order = sorted_items(model_case, position_order(model_case));
  const auto shown = [&] { return std::span<const Item>(order).first(model_case.positions); };
  if (!is_sorted_best(model_case)) {
    double reward = reward_of(model_case, shown());
    if (all_lists_can_be_tried(model_case)) {
      std::vector<Item> best(shown().begin(), shown().end());
      try_all(model_case, 0, order, reward, best);
      return best;
    }
    while (improve(model_case, order, reward)) {
    }
  }
  order.resize(model_case.positions);
  return order;
}

Problem model_problem(ModelCase model_case) {
  check(model_case);
  const auto best = best_list(model_case);
  model_case.best = reward_of(model_case, best);
  ListFacts facts = facts_of(model_case, best);
  const auto shared = std::make_shared<const ModelCase>(std::move(model_case));
  return OtherUsers{shared->model->name,
                    shared->attraction.size(),
                    shared->positions,
                    json_of(*shared),
                    [shared](std::uint64_t seed, std::uint64_t run) -> AnyUsers {
                      return ModelUsers(shared, seed, run);
                    },
                    std::move(facts)};
}

Problem model_problem_from_json(const ClickModel& model, const nlohmann::ordered_json& json) {
  return model_problem(case_from_json(model, json));
}

FittedModel model_of(const Problem& problem) {
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
