#include "dcmrank/click_model/parameters.h"

namespace dcmrank {

ModelParameters::ModelParameters(const FittedModel& model)
    : model_(&model), click_model_(&dcmrank::click_model(model.model, "\"model\"")) {
  for (const FittedQuery& query : model.queries) {
    const std::uint32_t q = queries_.intern(0, Id(query.query));
    for (const FittedItem& item : query.items) {
      item_ids_.intern(q, Id(item.item));
      items_.push_back(&item);
    }
  }
}

const std::vector<double>& ModelParameters::positions_of(std::uint32_t query) const {
  if (!model_->examination.empty()) return model_->examination;
  if (query != Interner::kAbsent && !model_->queries[query].termination.empty()) {
    return model_->queries[query].termination;
  }
  return model_->termination;
}

void ModelParameters::find(const Impression& impression, PageParameters& page) const {
  const double unseen = model_->prior.mean();
  const std::size_t n = impression.items.size();
  const std::uint32_t query = queries_.find(0, impression.query);
  page.attraction.assign(n, unseen);
  page.satisfaction.assign(n, unseen);
  page.position.assign(n, unseen);
  const std::vector<double>& positions = positions_of(query);
  for (std::size_t k = 0; k < n; ++k) {
    if (k < positions.size()) page.position[k] = positions[k];
    const std::uint32_t item =
        query == Interner::kAbsent ? Interner::kAbsent : item_ids_.find(query, impression.items[k]);
    if (item == Interner::kAbsent) continue;
    page.attraction[k] = items_[item]->attraction;
    page.satisfaction[k] = items_[item]->satisfaction;
  }
}

}  // namespace dcmrank
