#include "dcmrank/ledger/model.h"

#include <utility>

#include "dcmrank/registry/registry.h"

namespace dcmrank::service {

PolicySpec resolve_policy(std::string_view text) {
  constexpr std::string_view kAlias = "recommended";
  PolicySpec spec = parse_policy_spec(text);
  if (spec.name != kAlias) return spec;
  return parse_policy_spec(served_policy() + spec.text.substr(kAlias.size()));
}

void check_model(Model& model) {
  [[maybe_unused]] const Learner throws_where_it_cannot_be(model.policy, model.k);
  model.family = family_of(model.policy, model.k);
}

std::shared_ptr<const ModelList> Models::get() const {
  const std::lock_guard lock(mutex_);
  return list_;
}

void Models::set(std::vector<Model> models) {
  const auto list = std::make_shared<ModelList>();
  for (Model& model : models) {
    const auto shared = std::make_shared<const Model>(std::move(model));
    list->by_name[shared->name] = shared;
    list->by_id[shared->id] = shared;
  }
  const std::lock_guard lock(mutex_);
  list_ = list;
  version_.fetch_add(1, std::memory_order_release);
}

}  // namespace dcmrank::service
