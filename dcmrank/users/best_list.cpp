#include "dcmrank/users/best_list.h"

#include <algorithm>
#include <span>
#include <utility>

#include "dcmrank/click_model/predicted.h"
#include "dcmrank/users/exchanges.h"

namespace dcmrank {
namespace {

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

// Whether the best list is known to be the sorted one.
bool is_sorted_best(const ModelCase& model_case) {
  return model_case.model->best_by_attraction && resolve(*model_case.model, model_case.reward) ==
                                                     resolve(*model_case.model, Reward::kUsual);
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

// The best of all lists that begin with the first `placed` of `order`, and have others where
// may_exchange(a, b) allows them to change places.
template <class MayExchange>
void try_all(const ModelCase& c, std::size_t placed, std::vector<Item>& order, double& reward,
             std::vector<Item>& best, const MayExchange& may_exchange) {
  const auto shown = std::span<const Item>(order).first(c.positions);
  if (placed == c.positions) {
    const double now = reward_of(c, shown);
    if (now <= reward + 1e-12) return;
    reward = now;
    best.assign(shown.begin(), shown.end());
    return;
  }
  for (std::size_t n = placed; n < order.size(); ++n) {
    if (!may_exchange(order[placed], order[n])) continue;
    std::swap(order[placed], order[n]);
    try_all(c, placed + 1, order, reward, best, may_exchange);
    std::swap(order[placed], order[n]);
  }
}

// The best list that begins as `order` or can be reached by allowed exchanges.
template <class MayExchange>
std::vector<Item> best_reached(const ModelCase& c, std::vector<Item> order,
                               const MayExchange& may_exchange) {
  const auto reward = [&](std::span<const Item> list) { return reward_of(c, list); };
  if (all_lists_can_be_tried(c)) {
    std::vector<Item> best(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(c.positions));
    double highest = reward(best);
    try_all(c, 0, order, highest, best, may_exchange);
    return best;
  }
  improve_by_exchanges(order, c.positions, reward, may_exchange);
  order.resize(c.positions);
  return order;
}

// Of the lists sorted by attraction, the best: items of the same attraction may differ in what
// they are worth.
std::vector<Item> best_sorted(const ModelCase& c, const std::vector<std::size_t>& positions) {
  return best_reached(c, sorted_items(c, positions),
                      [&](Item a, Item b) { return c.attraction[a] == c.attraction[b]; });
}

// Whether it has the attractions of another list at every position.
bool is_sorted_as(const ModelCase& c, const std::vector<Item>& list,
                  const std::vector<Item>& sorted) {
  return std::ranges::equal(
      list, sorted, {}, [&](Item i) { return c.attraction[i]; },
      [&](Item i) { return c.attraction[i]; });
}

// How likely each position of a list is examined: P(click) / attraction, which no model needs to be
// asked for.
std::vector<double> examination_of(const ModelCase& c, std::span<const Item> list) {
  const PageParameters& page = page_of(c, list);
  std::vector<double> examination(c.positions);
  predict_full(*c.model, page, examination);
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
    return reward_of(c, best_sorted(c, order));
  };
  std::size_t chosen = 0;
  for (std::size_t n = 1; n < orders.size(); ++n) {
    if (reward(orders[n]) > reward(orders[chosen]) + 1e-12) chosen = n;
  }
  return orders[chosen];
}

}  // namespace

std::vector<Item> best_list(const ModelCase& model_case) {
  std::vector<Item> order = sorted_items(model_case, position_order(model_case));
  if (!is_sorted_best(model_case)) {
    return best_reached(model_case, std::move(order), [](Item, Item) { return true; });
  }
  order.resize(model_case.positions);
  return order;
}

ListFacts facts_of(const ModelCase& c, const std::vector<Item>& best) {
  ListFacts facts;
  facts.order = is_sorted_best(c) ? position_order(c) : best_order(c, best);
  facts.searched = !is_sorted_best(c) && !all_lists_can_be_tried(c);
  const auto sorted = best_sorted(c, facts.order);
  facts.floor = is_sorted_as(c, best, sorted) ? 0 : std::max(0.0, c.best - reward_of(c, sorted));
  facts.examination = examination_of(c, best);
  facts.best = best;
  return facts;
}

}  // namespace dcmrank
