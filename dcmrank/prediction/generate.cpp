#include "dcmrank/prediction/generate.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "dcmrank/base/error.h"
#include "dcmrank/click_model/predicted.h"
#include "dcmrank/model/dcm.h"
#include "dcmrank/model_file/model_file.h"
#include "dcmrank/model_file/seldom_shown.h"
#include "dcmrank/model_file/stand_ins.h"

namespace dcmrank {
namespace {

// What a position is worth: an entry of the list that ranks positions; all the same without one.
std::vector<double> worth_of_positions(const ClickModel& click_model, const FittedModel& model,
                                       const FittedQuery& query) {
  std::vector<double> worth;
  for (const ListParameter& list : click_model.lists) {
    if (list.ranks_positions) worth = with_stand_ins(list, find_list(model, query, list.name));
  }
  worth.resize(positions_of(model, query), 0);
  return worth;
}

// Items by decreasing attraction, the n-th at the n-th best position.
std::vector<std::uint32_t> optimal_order(const ClickModel& click_model, const FittedModel& model,
                                         const FittedQuery& query) {
  std::vector<double> attraction;
  for (const FittedItem& item : query.items) attraction.push_back(item.attraction);
  const auto items = decreasing_order(attraction);
  const auto positions = decreasing_order(worth_of_positions(click_model, model, query));
  std::vector<std::uint32_t> order(items.size());
  for (std::size_t n = 0; n < items.size(); ++n) {
    order[n < positions.size() ? positions[n] : n] = static_cast<std::uint32_t>(items[n]);
  }
  return order;
}

}  // namespace

LogGenerator::LogGenerator(const FittedModel& model, RankingKind ranking, Rng rng, std::string path)
    : parameters_(model, std::move(path)), ranking_(ranking), rng_(rng) {
  double until = 0;
  for (const FittedQuery& query : model.queries) {
    if (query.items.empty()) continue;
    until += std::max(query.impressions, 0.0);
    add_query(model, query, until);
  }
  if (queries_.empty()) throw InputError("the model has no item");
}

void LogGenerator::add_query(const FittedModel& model, const FittedQuery& query, double until) {
  Query added{Id(query.query), {}, {}, positions_of(model, query), until};
  for (const FittedItem& item : query.items) added.items.emplace_back(item.item);
  if (ranking_ == RankingKind::kOptimal) {
    added.order = optimal_order(parameters_.click_model(), model, query);
  }
  if (ranking_ == RankingKind::kRandom) {
    added.order.resize(added.items.size());
    std::iota(added.order.begin(), added.order.end(), 0U);
  }
  queries_.push_back(std::move(added));
}

// Fisher and Yates's shuffle, of what is shown.
void LogGenerator::shuffle(Query& query) {
  for (std::size_t k = 0; k < query.positions; ++k) {
    std::swap(query.order[k], query.order[k + rng_.below(query.order.size() - k)]);
  }
}

void LogGenerator::click(const Impression& impression) {
  parameters_.find(impression, page_);
  p_.resize(clicks_.size());
  // P(c_k | c_<k) needs the clicks above k alone: each call fixes one more.
  parameters_.naming(impression, [&] {
    for (std::size_t k = 0; k < clicks_.size(); ++k) {
      const std::span<double> p = std::span(p_).first(k + 1);
      const double next =
          predict_next(parameters_.click_model(), page_, Clicks(clicks_).first(k + 1), p);
      clicks_[k] = rng_.uniform() < next ? 1 : 0;
    }
  });
}

Impression LogGenerator::next() {
  const double draw = rng_.uniform() * queries_.back().until;
  const auto chosen =
      std::upper_bound(queries_.begin(), queries_.end(), draw,
                       [](double x, const Query& query) { return x < query.until; });
  Query& query = chosen == queries_.end() ? queries_.back() : *chosen;
  if (ranking_ == RankingKind::kRandom) shuffle(query);
  items_.clear();
  for (std::size_t k = 0; k < query.positions; ++k) items_.push_back(query.items[query.order[k]]);
  clicks_.assign(items_.size(), 0);
  const Impression impression{query.id, items_, clicks_};
  click(impression);
  return impression;
}

}  // namespace dcmrank
