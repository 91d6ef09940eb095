#include "dcmrank/click_model/parameters.h"

#include <algorithm>
#include <stdexcept>

namespace dcmrank {

ModelParameters::ModelParameters(const FittedModel& model)
    : model_(&model), click_model_(&dcmrank::click_model(model.model, "\"model\"")) {
  for (const FittedQuery& query : model.queries) {
    const std::uint32_t q = queries_.intern(0, Id(query.query));
    for (const FittedItem& item : query.items) {
      if (item.parameters.size() != click_model_->items.size()) {
        throw std::invalid_argument("an item does not have the parameters of its click model");
      }
      item_ids_.intern(q, Id(item.item));
      items_.push_back(&item);
    }
    for (const ListParameter& list : click_model_->lists) {
      lists_.push_back(&find_list(model, query, list.name).values);
    }
  }
  for (const ListParameter& list : click_model_->lists) {
    lists_.push_back(&find_list(model.lists, list.name).values);
  }
}

void ModelParameters::find_lists(std::uint32_t query, std::size_t positions,
                                 PageParameters& page) const {
  const double unseen = model_->prior.mean();
  const std::size_t count = click_model_->lists.size();
  const std::size_t first = count * (query == Interner::kAbsent ? model_->queries.size() : query);
  page.lists.resize(count);
  page.deeper = false;
  for (std::size_t n = 0; n < count; ++n) {
    const std::vector<double>& values = *lists_[first + n];
    const std::size_t needed = entries(click_model_->lists[n], positions);
    page.deeper = page.deeper || (!values.empty() && values.size() < needed);
    page.lists[n].assign(needed, unseen);
    std::copy_n(values.begin(), std::min(needed, values.size()), page.lists[n].begin());
  }
}

void ModelParameters::find(const Impression& impression, PageParameters& page) const {
  const double unseen = model_->prior.mean();
  const std::size_t n = impression.items.size();
  const std::uint32_t query = queries_.find(0, impression.query);
  find_lists(query, n, page);
  page.attraction.assign(n, unseen);
  page.items.resize(click_model_->items.size());
  for (auto& values : page.items) values.assign(n, unseen);
  if (query == Interner::kAbsent) return;
  for (std::size_t k = 0; k < n; ++k) {
    const std::uint32_t item = item_ids_.find(query, impression.items[k]);
    if (item == Interner::kAbsent) continue;
    page.attraction[k] = items_[item]->attraction;
    for (std::size_t p = 0; p < page.items.size(); ++p) {
      page.items[p][k] = items_[item]->parameters[p];
    }
  }
}

}  // namespace dcmrank
