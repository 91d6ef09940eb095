#include "dcmrank/ledger/model.h"

#include <utility>

#include "dcmrank/registry/registry.h"

namespace dcmrank::service {

void set_policy(Model& model, std::string_view said) {
  constexpr std::string_view kAlias = "recommended";
  const PolicySpec spec = parse_policy_spec(said);
  model.said = spec.text;
  model.policy = spec.name == kAlias
                     ? parse_policy_spec(served_policy() + spec.text.substr(kAlias.size()))
                     : spec;
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
  const std::lock_guard lock(mutex_);
  for (Model& model : models) {
    const auto before = list_->by_id.find(model.id);
    if (before != list_->by_id.end() && before->second->family == model.family) {
      model.shared = before->second->shared;
      model.fitted = before->second->fitted;
    }
    const auto shared = std::make_shared<const Model>(std::move(model));
    list->by_name[shared->name] = shared;
    list->by_id[shared->id] = shared;
  }
  publish(list);
}

void Models::share(std::int64_t id, std::vector<double> row) {
  const std::lock_guard lock(mutex_);
  const auto at = list_->by_id.find(id);
  if (at == list_->by_id.end()) return;
  Model model = *at->second;
  model.shared = std::make_shared<const std::vector<double>>(std::move(row));
  model.fitted = ++fits_;
  const auto list = std::make_shared<ModelList>(*list_);
  const auto shared = std::make_shared<const Model>(std::move(model));
  list->by_name[shared->name] = shared;
  list->by_id[id] = shared;
  publish(list);
}

void Models::publish(std::shared_ptr<const ModelList> list) {
  list_ = std::move(list);
  version_.fetch_add(1, std::memory_order_release);
}

}  // namespace dcmrank::service
