#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "dcmrank/click_model/click_model.h"
#include "dcmrank/random/rng.h"

namespace dcmrank {

/// Two queries, "q" and "r", of eight items, and lists of five positions, of any click model: made
/// up from a seed, none near 0 or 1, positions by decreasing worth. The top of the page is always
/// examined.
inline FittedModel made_up(const ClickModel& model, std::uint64_t seed) {
  Rng rng(seed);
  FittedModel truth;
  truth.model = model.name;
  truth.method = "problem";
  truth.positions = 5;
  for (const ListParameter& list : model.lists) {
    std::vector<double> values(entries(list, truth.positions));
    for (double& value : values) value = 0.3 + 0.6 * rng.uniform();
    std::sort(values.rbegin(), values.rend());
    if (list.name == "examination") values[0] = 1;
    truth.lists[list.name].values = values;
  }
  for (const char* id : {"q", "r"}) {
    FittedQuery query{id, 1, {}, {}};
    for (std::size_t i = 0; i < 8; ++i) {
      FittedItem item;
      item.item = std::string(id) + std::to_string(i);
      item.attraction = 0.05 + 0.7 * rng.uniform();
      for (std::size_t p = 0; p < model.items.size(); ++p) {
        item.parameters.push_back(0.2 + 0.6 * rng.uniform());
      }
      query.items.push_back(item);
    }
    truth.queries.push_back(query);
  }
  return truth;
}

}  // namespace dcmrank
