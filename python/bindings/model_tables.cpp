#include "model_tables.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "dcmrank/base/error.h"
#include "dcmrank/click_model/attraction_interval.h"
#include "dcmrank/click_model/click_model.h"
#include "dcmrank/model_file/list_json.h"

namespace dcmrank::python {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

bool is_identified(const FittedItem& item, const std::string& name) {
  const auto& unknown = item.unidentified;
  return std::find(unknown.begin(), unknown.end(), name) == unknown.end();
}

// Every item of every query.
template <class Add>
void each_item(const FittedModel& model, Add add) {
  for (const FittedQuery& query : model.queries) {
    for (const FittedItem& item : query.items) add(query, item);
  }
}

// The places of the entries of a list: what they are called and where they stand.
struct Places {
  Column query = make_column("query", Column::Kind::kText);
  Column place = make_column("position", Column::Kind::kWhole);
  Column distance = make_column("distance", Column::Kind::kWhole);
  Column value;
  Column identified = make_column("identified", Column::Kind::kFlag);

  void add(const ListParameter& parameter, const FittedList& list) {
    for (std::size_t n = 1; n <= list.values.size(); ++n) {
      const auto [row, at] = place_of_entry(parameter, n);
      place.whole.push_back(static_cast<std::int64_t>(row));
      distance.whole.push_back(static_cast<std::int64_t>(at == row ? 0 : at));
      value.real.push_back(list.values[n - 1]);
      const auto& unknown = list.unidentified;
      identified.flag.push_back(std::find(unknown.begin(), unknown.end(), n) == unknown.end());
    }
  }
};

const ListParameter& find_parameter(const ClickModel& model, const std::string& name) {
  for (const ListParameter& list : model.lists) {
    if (list.name == name) return list;
  }
  throw InputError("the model " + model.name + " has no " + name);
}

}  // namespace

Table queries_table(const FittedModel& model) {
  Column query = make_column("query", Column::Kind::kText);
  Column impressions = make_column("impressions", Column::Kind::kReal);
  for (const FittedQuery& fitted : model.queries) {
    query.add(fitted.query);
    impressions.real.push_back(fitted.impressions);
  }
  std::vector<Column> columns;
  columns.push_back(std::move(query));
  columns.push_back(std::move(impressions));
  return Table(std::move(columns));
}

Table attraction_table(const FittedModel& model) {
  const auto real = [](const char* name) { return make_column(name, Column::Kind::kReal); };
  std::vector<Column> columns{make_column("query", Column::Kind::kText),
                              make_column("item", Column::Kind::kText),
                              real("attraction"),
                              real("low"),
                              real("high"),
                              real("shown"),
                              real("clicked"),
                              real("impressions"),
                              make_column("identified", Column::Kind::kFlag)};
  each_item(model, [&](const FittedQuery& query, const FittedItem& item) {
    const auto interval = attraction_interval(model, item);
    columns[0].add(query.query);
    columns[1].add(item.item);
    columns[2].real.push_back(item.attraction);
    columns[3].real.push_back(interval ? interval->low : kMissing);
    columns[4].real.push_back(interval ? interval->high : kMissing);
    columns[5].real.push_back(item.shown);
    columns[6].real.push_back(item.clicked);
    columns[7].real.push_back(item.impressions);
    columns[8].flag.push_back(is_identified(item, "attraction"));
  });
  return Table(std::move(columns));
}

Table item_parameter_table(const FittedModel& model, const std::string& name) {
  const auto& names = click_model(model.model, "model").items;
  const auto n =
      static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  if (n == names.size()) throw InputError("the model " + model.model + " has no " + name);
  std::vector<Column> columns{
      make_column("query", Column::Kind::kText), make_column("item", Column::Kind::kText),
      make_column(name, Column::Kind::kReal), make_column("identified", Column::Kind::kFlag)};
  each_item(model, [&](const FittedQuery& query, const FittedItem& item) {
    columns[0].add(query.query);
    columns[1].add(item.item);
    columns[2].real.push_back(item.parameters.at(n));
    columns[3].flag.push_back(is_identified(item, name));
  });
  return Table(std::move(columns));
}

Table list_parameter_table(const FittedModel& model, const std::string& name) {
  const ListParameter& parameter = find_parameter(click_model(model.model, "model"), name);
  Places places;
  places.value = make_column(name, Column::Kind::kReal);
  if (parameter.shape == ListShape::kNumbers) places.place.name = "entry";
  const FittedList& shared = find_list(model.lists, name);
  places.add(parameter, shared);
  if (shared.values.empty()) {
    for (const FittedQuery& query : model.queries) {
      const FittedList& own = find_list(query.lists, name);
      places.add(parameter, own);
      for (std::size_t n = 0; n < own.values.size(); ++n) places.query.add(query.query);
    }
  }
  std::vector<Column> columns;
  if (shared.values.empty()) columns.push_back(std::move(places.query));
  columns.push_back(std::move(places.place));
  if (parameter.shape == ListShape::kTriangle) columns.push_back(std::move(places.distance));
  columns.push_back(std::move(places.value));
  columns.push_back(std::move(places.identified));
  return Table(std::move(columns));
}

}  // namespace dcmrank::python
