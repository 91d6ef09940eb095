#include "dcmrank/model_file/stand_ins.h"

#include <algorithm>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/click_model/click_model.h"
#include "dcmrank/model_file/list_json.h"
#include "dcmrank/model_file/model_file.h"

namespace dcmrank {
namespace {

bool has_name(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The smallest of the entries from `begin` to `end` that are identified.
std::optional<double> smallest(const std::vector<double>& values,
                               const std::vector<std::uint8_t>& unknown, std::size_t begin,
                               std::size_t end) {
  std::optional<double> least;
  for (std::size_t n = begin; n < end; ++n) {
    if (unknown[n] == 0 && (!least || values[n] < *least)) least = values[n];
  }
  return least;
}

// Where the row of entry n, counted from 0, begins and ends; elsewhere all is one row.
std::pair<std::size_t, std::size_t> row_ends(const ListParameter& list, std::size_t n,
                                             std::size_t size) {
  if (list.shape != ListShape::kTriangle) return {0, size};
  std::size_t begin = 0;
  std::size_t length = 1;
  while (n >= begin + length) begin += length++;
  return {begin, std::min(begin + length, size)};
}

// What is done to one query, and what there is to say about it.
class StandIns {
 public:
  StandIns(FittedModel& model, FittedQuery& query, const std::string& source)
      : model_(&model), query_(&query), source_(&source) {}

  void leave_out_items() {
    auto& items = query_->items;
    const auto unknown = [](const FittedItem& item) {
      return has_name(item.unidentified, "attraction");
    };
    const auto left_out = std::count_if(items.begin(), items.end(), unknown);
    if (left_out == 0) return;
    std::erase_if(items, unknown);
    if (items.size() < 2) {
      fail("the attraction of its items: the same item must be shown at several positions");
    }
    said_.push_back(fmt::format("the attraction of {}, left out",
                                how_many(static_cast<std::uint64_t>(left_out), "item")));
  }

  void fill_items(std::size_t parameter, const std::string& name) {
    double least = std::numeric_limits<double>::infinity();
    std::vector<FittedItem*> unknown;
    for (FittedItem& item : query_->items) {
      if (has_name(item.unidentified, name)) {
        unknown.push_back(&item);
      } else {
        least = std::min(least, item.parameters[parameter]);
      }
    }
    if (unknown.empty()) return;
    if (unknown.size() == query_->items.size()) fail(fmt::format("any {}", name));
    for (FittedItem* item : unknown) item->parameters[parameter] = least;
    said_.push_back(fmt::format("the {} of {}; the smallest of the others, {:.3g}, stands in", name,
                                how_many(unknown.size(), "item"), least));
  }

  void fill_list(const ListParameter& parameter) {
    const bool own = !find_list(query_->lists, parameter.name).values.empty();
    FittedList& list = (own ? query_->lists : model_->lists)[parameter.name];
    const std::size_t needed =
        entries(parameter, std::min(model_->positions, query_->items.size()));
    std::vector<std::size_t> unknown = list.unidentified;
    std::erase_if(unknown, [&](std::size_t n) { return n > needed; });
    std::vector<double> values = with_stand_ins(parameter, list);
    if (unknown.empty()) return;
    if (values.empty()) fail(fmt::format("any {}", parameter.name));
    list.values = std::move(values);
    const double used = list.values[list.unidentified.front() - 1];
    const std::string what = named_entries_text(parameter, unknown, needed);
    said_.push_back(
        unknown.size() == 1
            ? fmt::format("{}; the smallest of the others, {:.3g}, stands in", what, used)
            : fmt::format("{}; the smallest of the others stands in", what));
  }

  std::string said() const {
    if (said_.empty()) return "";
    return fmt::format("{}, query {}: the log cannot tell {}", *source_, quote(query_->query),
                       fmt::join(said_, "; nor "));
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(
        fmt::format("{}, query {}: the log that the model was fitted to cannot tell {}", *source_,
                    quote(query_->query), what));
  }

  FittedModel* model_;
  FittedQuery* query_;
  const std::string* source_;
  std::vector<std::string> said_;
};

}  // namespace

std::vector<double> with_stand_ins(const ListParameter& list, const FittedList& fitted) {
  std::vector<double> values = fitted.values;
  std::vector<std::uint8_t> unknown(values.size(), 0);
  for (const std::size_t n : fitted.unidentified) {
    if (n <= values.size()) unknown[n - 1] = 1;
  }
  const auto of_all = smallest(fitted.values, unknown, 0, values.size());
  if (!of_all) return {};
  for (std::size_t n = 0; n < values.size(); ++n) {
    if (unknown[n] == 0) continue;
    const auto [begin, end] = row_ends(list, n, values.size());
    values[n] = smallest(fitted.values, unknown, begin, end).value_or(*of_all);
  }
  return values;
}

std::string unfinished_note(const FittedModel& model, const std::string& source) {
  if (model.em.objective.empty() || model.em.converged) return "";
  return fmt::format("{} was written before EM had converged", source);
}

std::string deeper_note(const FittedModel& model, double deeper, double pages) {
  if (deeper == 0) return "";
  std::vector<std::string> names;
  for (const ListParameter& list : click_model(model.model, "\"model\"").lists) {
    if (list.shape != ListShape::kNumbers) names.push_back(list.name);
  }
  return fmt::format(
      "{:.0f} of {:.0f} pages are longer than those that the model was fitted to: below these its "
      "{} is a guess, the mean of the prior, {:.3g}",
      deeper, pages, fmt::join(names, " and "), model.prior.mean());
}

std::string unknown_note(const FittedModel& model, double unknown, double pages) {
  if (unknown == 0) return "";
  return fmt::format(
      "the queries of {:.0f} of {:.0f} pages are unknown to the model: it takes the mean of the "
      "prior, {:.3g}, for their items",
      unknown, pages, model.prior.mean());
}

std::size_t unidentified_count(const FittedModel& model) {
  std::size_t count = 0;
  const auto add = [&](const FittedLists& lists) {
    for (const auto& [name, list] : lists) count += list.unidentified.size();
  };
  add(model.lists);
  for (const FittedQuery& query : model.queries) {
    add(query.lists);
    for (const FittedItem& item : query.items) count += item.unidentified.size();
  }
  return count;
}

std::string stand_in(FittedModel& model, const std::string& query, const std::string& source) {
  const ClickModel& declared = click_model(model.model, "\"model\"");
  const auto chosen = &find_query(model, query, source) - model.queries.data();
  StandIns stand_ins(model, model.queries[static_cast<std::size_t>(chosen)], source);
  stand_ins.leave_out_items();
  for (std::size_t n = 0; n < declared.items.size(); ++n) {
    stand_ins.fill_items(n, declared.items[n]);
  }
  for (const ListParameter& list : declared.lists) stand_ins.fill_list(list);
  return stand_ins.said();
}

}  // namespace dcmrank
