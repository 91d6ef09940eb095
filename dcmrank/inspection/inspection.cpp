#include "dcmrank/inspection/inspection.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "dcmrank/click_model/attraction_interval.h"
#include "dcmrank/model_file/list_json.h"
#include "dcmrank/prediction/parameters.h"

namespace dcmrank::command {
namespace {

// The lists that hold for the query, its own or shared.
void add_lists(const Shown& shown, const FittedQuery& query, nlohmann::ordered_json& json) {
  for (const ListParameter& parameter : shown.kind->lists) {
    const FittedList& list = find_list(*shown.model, query, parameter.name);
    json[parameter.name] = list_to_json(parameter, list.values);
    if (!parameter.unidentified.empty()) {
      json[parameter.unidentified] = entries_to_json(parameter, list.unidentified);
    }
  }
}

nlohmann::ordered_json item_to_json(const Shown& shown, const FittedItem& item) {
  nlohmann::ordered_json json{{"item", item.item},
                              {"attraction", item.attraction},
                              {"low", nullptr},
                              {"high", nullptr},
                              {"shown", item.shown},
                              {"clicked", item.clicked},
                              {"impressions", item.impressions}};
  if (const auto interval = attraction_interval(*shown.model, item)) {
    json["low"] = interval->low;
    json["high"] = interval->high;
  }
  for (std::size_t p = 0; p < shown.kind->items.size(); ++p) {
    json[shown.kind->items[p]] = item.parameters[p];
  }
  if (!item.unidentified.empty()) json["unidentified"] = item.unidentified;
  return json;
}

nlohmann::ordered_json query_to_json(const Shown& shown, const FittedQuery& query,
                                     std::size_t most) {
  auto items = nlohmann::ordered_json::array();
  for (const FittedItem& item : most_shown(query, most)) items.push_back(item_to_json(shown, item));
  nlohmann::ordered_json json{
      {"query", query.query}, {"impressions", query.impressions}, {"items", std::move(items)}};
  add_lists(shown, query, json);
  return json;
}

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// "identified", in words that every reader of CSV knows.
std::string truth(bool known) { return known ? "true" : "false"; }

template <class T>
bool contains(const std::vector<T>& all, const T& wanted) {
  return std::find(all.begin(), all.end(), wanted) != all.end();
}

// Probabilities of positions, with the query empty where they hold for all.
void add_list_rows(const Shown& shown, const FittedLists& lists, const std::string& query,
                   DataTable& table) {
  for (const ListParameter& parameter : shown.kind->lists) {
    const FittedList& list = find_list(lists, parameter.name);
    for (std::size_t n = 1; n <= list.values.size(); ++n) {
      const auto [position, entry] = place_of_entry(parameter, n);
      const Cell in_row =
          parameter.shape == ListShape::kTriangle ? Cell(std::uint64_t{entry}) : Cell(kMissing);
      table.rows.push_back({query, parameter.name, std::string(), std::uint64_t{position}, in_row,
                            list.values[n - 1], kMissing, kMissing,
                            truth(!contains(list.unidentified, n)), kMissing, kMissing, kMissing});
    }
  }
}

void add_item_rows(const Shown& shown, const FittedQuery& query, const FittedItem& item,
                   DataTable& table) {
  const auto add = [&](const std::string& name, double value, double low, double high) {
    table.rows.push_back({query.query, name, item.item, kMissing, kMissing, value, low, high,
                          truth(!contains(item.unidentified, name)), item.shown, item.clicked,
                          item.impressions});
  };
  const auto interval = attraction_interval(*shown.model, item);
  add("attraction", item.attraction, interval ? interval->low : kMissing,
      interval ? interval->high : kMissing);
  for (std::size_t p = 0; p < shown.kind->items.size(); ++p) {
    add(shown.kind->items[p], item.parameters[p], kMissing, kMissing);
  }
}

}  // namespace

// The file has them by decreasing impressions.
std::span<const FittedItem> most_shown(const FittedQuery& query, std::size_t most) {
  return std::span(query.items).first(std::min(query.items.size(), most));
}

nlohmann::ordered_json inspection_json(const Shown& shown, std::size_t items) {
  auto all = nlohmann::ordered_json::array();
  for (const FittedQuery& query : shown.model->queries) {
    all.push_back(query_to_json(shown, query, items));
  }
  return {{"format", "dcmrank.inspection"},
          {"version", 1},
          {"model", shown.model->model},
          {"method", shown.model->method},
          {"queries", std::move(all)}};
}

DataTable inspection_rows(const Shown& shown, std::size_t items) {
  DataTable table{{"query", "parameter", "item", "position", "last_click", "value", "low", "high",
                   "identified", "shown", "clicked", "impressions"},
                  {}};
  add_list_rows(shown, shown.model->lists, "", table);
  for (const FittedQuery& query : shown.model->queries) {
    for (const FittedItem& item : most_shown(query, items)) {
      add_item_rows(shown, query, item, table);
    }
    add_list_rows(shown, query.lists, query.query, table);
  }
  return table;
}

}  // namespace dcmrank::command
