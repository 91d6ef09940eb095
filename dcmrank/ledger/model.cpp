#include "dcmrank/ledger/model.h"

#include <utility>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"
#include "dcmrank/registry/registry.h"

namespace dcmrank::service {
namespace {

// Models are read again whenever one of them changes. Making a policy may take long; that it can be
// made, and of which family it is, stays as it is.
class KnownFamilies {
 public:
  RowFamily of(const PolicySpec& spec, std::size_t positions) {
    const auto key = std::pair(spec.text, positions);
    {
      const std::lock_guard lock(mutex_);
      const auto at = families_.find(key);
      if (at != families_.end()) return at->second;
    }
    const RowFamily family = family_of(spec, positions);
    const std::lock_guard lock(mutex_);
    if (families_.size() >= kMost) families_.clear();
    families_.emplace(key, family);
    return family;
  }

 private:
  static constexpr std::size_t kMost = 10'000;
  std::mutex mutex_;
  std::map<std::pair<std::string, std::size_t>, RowFamily> families_;
};

}  // namespace

void set_policy(Model& model, std::string_view said) {
  constexpr std::string_view kAlias = "recommended";
  const PolicySpec spec = parse_policy_spec(said);
  model.said = spec.text;
  model.policy = spec.name == kAlias
                     ? parse_policy_spec(served_policy() + spec.text.substr(kAlias.size()))
                     : spec;
}

void check_model(Model& model) {
  static KnownFamilies known;
  model.family = known.of(model.policy, model.k);
}

void check_stored_model(Model& model) {
  try {
    check_model(model);
  } catch (const InputError& error) {
    model.unknown = fmt::format(
        "the database has the model {}, which this program cannot serve: {}; start a program that "
        "knows its policy, or with that one give the model another policy or erase it",
        quote(model.name), error.what());
  }
}

void refuse_unknown(const std::vector<Model>& models) {
  for (const Model& model : models) {
    if (!model.unknown.empty()) throw InputError(model.unknown);
  }
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
