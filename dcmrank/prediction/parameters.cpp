#include "dcmrank/prediction/parameters.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "dcmrank/base/text.h"
#include "dcmrank/model_file/compact_model.h"
#include "dcmrank/model_file/model_file.h"

namespace dcmrank {

// Divided by a hash of the query, so that threads seldom wait for each other. A division that has
// grown too large is emptied.
class ModelParameters::Kept {
 public:
  explicit Kept(const CompactModel& model) : model_(&model) {}

  /// Nothing where the model has no such query.
  std::shared_ptr<const ModelParameters> find(const Id& query) {
    Division& division = divisions_[session_key(query.text) % divisions_.size()];
    const std::lock_guard lock(division.mutex);
    const std::string id(query.text);
    const auto known = division.queries.find(id);
    if (known != division.queries.end()) return known->second;
    if (division.items > kMostItems || division.queries.size() > kMostQueries) {
      division.queries.clear();
      division.items = 0;
    }
    const auto one = read(query.text);
    division.items += 1 + (one ? one->queries.front().items.size() : 0);
    std::shared_ptr<const ModelParameters> found;
    if (one) {
      // Holds the model that it refers to.
      // NOLINTNEXTLINE(cppcoreguidelines-owning-memory)
      found = {new ModelParameters(*one), [one](const ModelParameters* p) { delete p; }};
    }
    division.queries.emplace(id, found);
    return found;
  }

 private:
  static constexpr std::size_t kMostItems = 20'000;
  static constexpr std::size_t kMostQueries = 64;  // a table for each takes some kilobytes
  struct Division {
    std::mutex mutex;
    std::unordered_map<std::string, std::shared_ptr<const ModelParameters>> queries;
    std::size_t items = 0;
  };

  std::shared_ptr<const FittedModel> read(std::string_view query) const {
    auto found = model_->find(query);
    if (!found) return nullptr;
    auto one = std::make_shared<FittedModel>();
    one->model = model_->head().model;
    one->prior = model_->head().prior;
    one->lists = model_->head().lists;
    one->queries.push_back(std::move(*found));
    return one;
  }

  const CompactModel* model_;
  std::array<Division, 64> divisions_;
};

ModelParameters::ModelParameters(const CompactModel& model, std::string path)
    : ModelParameters(model.head(), std::move(path)) {
  kept_ = std::make_shared<Kept>(model);
}

ModelParameters::ModelParameters(const FittedModel& model, std::string path)
    : model_(&model),
      path_(std::move(path)),
      click_model_(&dcmrank::click_model(model.model, "\"model\"")) {
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
  page.unknown = query == Interner::kAbsent;
  for (std::size_t n = 0; n < count; ++n) {
    const std::vector<double>& values = *lists_[first + n];
    const std::size_t needed = entries(click_model_->lists[n], positions);
    page.deeper = page.deeper || (!values.empty() && values.size() < needed);
    page.lists[n].assign(needed, unseen);
    std::copy_n(values.begin(), std::min(needed, values.size()), page.lists[n].begin());
  }
}

void ModelParameters::find(const Impression& impression, PageParameters& page) const {
  if (kept_) {
    if (const auto query = kept_->find(impression.query)) return query->find(impression, page);
  }
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

void ModelParameters::refuse(const Impression& impression, const InputError& error) const {
  throw InputError(fmt::format("{}query {}: {}", path_.empty() ? "" : path_ + ", ",
                               quote(impression.query.text), error.what()));
}

OpenModel::OpenModel(std::string its_path) : path(std::move(its_path)) {
  const MappedFile file(path);
  if (!is_compact(file.bytes())) {
    model = parse_model(file.bytes(), path);
    return;
  }
  compact = std::make_shared<const CompactModel>(path);
  model = compact->head();
}

}  // namespace dcmrank
