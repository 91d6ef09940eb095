#include "dcmrank/click_model/fitted_check.h"

#include <algorithm>
#include <string>
#include <unordered_set>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/base/utf8.h"
#include "dcmrank/page/impression.h"

namespace dcmrank {
namespace {

// Whether a list of a query ends with a position; a few numbers have no end but their own.
bool ends_with_a_position(const ListParameter& list, std::size_t size, std::size_t positions) {
  if (list.shape == ListShape::kNumbers) return size == list.numbers;
  for (std::size_t k = 1; k <= positions; ++k) {
    if (entries(list, k) == size) return true;
  }
  return false;
}

[[noreturn]] void refuse_size(const std::string& whose, const ListParameter& list, std::size_t size,
                              std::size_t positions) {
  throw InputError(fmt::format("{}\"{}\" has {} entries for {} positions, which have {}", whose,
                               list.name, size, positions, entries(list, positions)));
}

void check_queries(const FittedModel& model) {
  std::unordered_set<std::string_view> seen;
  for (const FittedQuery& query : model.queries) {
    if (!seen.insert(query.query).second) {
      throw InputError(fmt::format("query {} occurs twice", quote(query.query)));
    }
  }
  if (model.queries.empty()) throw InputError("\"queries\" is empty");
}

}  // namespace

void check_id(std::string_view id) {
  if (!id.empty() && id.size() <= kMaxId && is_utf8(id) &&
      id.find('\0') == std::string_view::npos) {
    return;
  }
  throw InputError(fmt::format("{}, not an id of 1 to {} bytes without NUL", quote(id), kMaxId));
}

// What EM expects is added up, and rounded.
void check_counts(const FittedItem& item) {
  if (item.clicked <= item.shown * (1 + 1e-9)) return;
  throw InputError(fmt::format("item {} has \"clicked\" {:.15g}, above \"shown\", {:.15g}",
                               quote(item.item), item.clicked, item.shown));
}

bool has_probability(const ClickModel& model, std::string_view name) {
  return name == "attraction" ||
         std::find(model.items.begin(), model.items.end(), name) != model.items.end();
}

void check_shared_lists(const ClickModel& model, const FittedModel& head) {
  for (const ListParameter& list : model.lists) {
    const std::size_t size = find_list(head.lists, list.name).values.size();
    if (size > 0 && size != entries(list, head.positions)) {
      refuse_size("", list, size, head.positions);
    }
    if (size == 0 && list.scope == Scope::kShared) {
      throw InputError(fmt::format("\"{}\" is missing", list.name));
    }
  }
}

void check_query_lists(const ClickModel& model, const FittedModel& head, const FittedQuery& query) {
  for (const ListParameter& list : model.lists) {
    const std::size_t own = find_list(query.lists, list.name).values.size();
    if (own > 0 && !ends_with_a_position(list, own, head.positions)) {
      refuse_size(fmt::format("query {}: ", quote(query.query)), list, own, head.positions);
    }
    if (own > 0 || !find_list(head.lists, list.name).values.empty()) continue;
    throw InputError(fmt::format("query {} has no \"{}\"", quote(query.query), list.name));
  }
}

void check_model(const ClickModel& model, const FittedModel& fitted) {
  check_queries(fitted);
  check_shared_lists(model, fitted);
  for (const FittedQuery& query : fitted.queries) check_query_lists(model, fitted, query);
}

}  // namespace dcmrank
