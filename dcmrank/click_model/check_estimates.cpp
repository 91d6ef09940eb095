#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_set>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/json_fields.h"
#include "dcmrank/base/text.h"
#include "dcmrank/click_model/fitted_check.h"

namespace dcmrank {
namespace {

void check_number(std::string_view name, double value, const fields::Bounds& bounds) {
  if (value >= bounds.least && value <= bounds.most) return;
  throw InputError(fmt::format("\"{}\" is {}, not a number from {} to {}", name, value,
                               bounds.least, bounds.most));
}

// What is wrong with a part of a model begins with its name.
template <class Check>
void check_part(std::string_view part, const std::string& name, Check check) {
  try {
    check();
  } catch (const InputError& error) {
    throw InputError(fmt::format("{} {}: {}", part, quote(name), error.what()));
  }
}

void check_item(const ClickModel& model, const FittedItem& item) {
  check_number("attraction", item.attraction, fields::kProbability);
  check_number("shown", item.shown, fields::kCount);
  check_number("clicked", item.clicked, fields::kCount);
  check_number("impressions", item.impressions, fields::kCount);
  check_counts(item);
  if (item.parameters.size() != model.items.size()) {
    throw InputError(fmt::format("it has {}, where the model has {}",
                                 how_many(item.parameters.size(), "parameter"),
                                 model.items.size()));
  }
  for (std::size_t p = 0; p < model.items.size(); ++p) {
    check_number(model.items[p], item.parameters[p], fields::kProbability);
  }
  for (const std::string& name : item.unidentified) {
    if (has_probability(model, name)) continue;
    throw InputError(
        fmt::format("\"unidentified\": {} is not a probability of an item", quote(name)));
  }
  if (!item.interval) return;
  check_number("interval[0]", item.interval->low, fields::kProbability);
  check_number("interval[1]", item.interval->high, fields::kProbability);
  if (item.interval->low > item.interval->high) {
    throw InputError("\"interval\" ends before it begins");
  }
}

enum class Of : std::uint8_t { kQuery, kModel };

// Names that the model declares, numbers that are probabilities.
void check_lists(const ClickModel& model, const FittedLists& lists, Of of) {
  for (const auto& given : lists) {
    const std::string& name = given.first;
    const FittedList& list = given.second;
    const auto declared = std::find_if(model.lists.begin(), model.lists.end(),
                                       [&](const auto& one) { return one.name == name; });
    if (declared == model.lists.end()) {
      throw InputError(fmt::format("\"{}\" is no list of the model", name));
    }
    if (of == Of::kQuery && declared->scope == Scope::kShared) {
      throw InputError(fmt::format("\"{}\" is shared by all queries: none has its own", name));
    }
    for (std::size_t n = 0; n < list.values.size(); ++n) {
      if (list.values[n] >= 0 && list.values[n] <= 1) continue;
      check_number(fmt::format("{}[{}]", name, n), list.values[n], fields::kProbability);
    }
    for (const std::size_t entry : list.unidentified) {
      if (entry >= 1 && entry <= list.values.size()) continue;
      throw InputError(
          fmt::format("\"{}\" has no entry {}, which is said to be unidentified", name, entry));
    }
  }
}

void check_query(const ClickModel& model, const FittedQuery& query) {
  check_id(query.query);
  check_number("impressions", query.impressions, fields::kCount);
  std::unordered_set<std::string_view> seen(query.items.size());
  for (const FittedItem& item : query.items) {
    check_part("item", item.item, [&] {
      check_id(item.item);
      check_item(model, item);
      if (!seen.insert(item.item).second) throw InputError("it occurs twice");
    });
  }
  check_lists(model, query.lists, Of::kQuery);
}

void check_trace(const EmTrace& em) {
  for (const auto* values : {&em.log_likelihood, &em.objective}) {
    for (const double value : *values) {
      if (!std::isfinite(value)) {
        throw InputError(fmt::format("\"em\": a likelihood is {}", value));
      }
    }
  }
  if (em.log_likelihood.size() != em.objective.size()) {
    throw InputError("\"em\" has not as many likelihoods as objectives");
  }
  check_number("tolerance", em.tolerance, fields::kAtLeastZero);
}

}  // namespace

void check_estimates(const ClickModel& model, const FittedModel& fitted) {
  check_part("the estimator of the model", model.name, [&] {
    check_lists(model, fitted.lists, Of::kModel);
    check_trace(fitted.em);
    for (const FittedQuery& query : fitted.queries) {
      check_part("query", query.query, [&] { check_query(model, query); });
    }
    check_model(model, fitted);
  });
}

}  // namespace dcmrank
