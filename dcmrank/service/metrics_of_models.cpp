// What users did with the lists of each model.
#include "dcmrank/service/metrics.h"

namespace dcmrank::service {

MetricsOfModels::MetricsOfModels(prometheus::Registry& registry) {
  const auto family = [&](const char* name, const char* help) {
    return &prometheus::BuildCounter().Name(name).Help(help).Register(registry);
  };
  families_ = {
      family("dcmrank_clicks_total", "Clicks that counted, by model"),
      family("dcmrank_pages_total", "Lists that closed, by model"),
      family("dcmrank_pages_clicked_total", "Lists that closed and have a click, by model")};
}

// Prometheus takes an empty label for none.
ModelMetrics MetricsOfModels::make(const std::string& name) {
  const prometheus::Labels labels =
      name.empty() ? prometheus::Labels() : prometheus::Labels{{"model", name}};
  return {&families_[0]->Add(labels), &families_[1]->Add(labels), &families_[2]->Add(labels)};
}

void MetricsOfModels::count(std::int64_t model, const std::string& name, std::uint64_t clicks,
                            bool page, bool clicked) {
  const std::lock_guard lock(mutex_);
  auto at = models_.find(model);
  if (at == models_.end() && models_.size() < kMost) at = models_.emplace(model, make(name)).first;
  if (at == models_.end() && others_.pages == nullptr) others_ = make("");
  const ModelMetrics& metrics = at == models_.end() ? others_ : at->second;
  metrics.clicks->Increment(static_cast<double>(clicks));
  if (page) metrics.pages->Increment();
  if (clicked) metrics.clicked->Increment();
}

void MetricsOfModels::forget(std::int64_t model) {
  const std::lock_guard lock(mutex_);
  const auto at = models_.find(model);
  if (at == models_.end()) return;
  families_[0]->Remove(at->second.clicks);
  families_[1]->Remove(at->second.pages);
  families_[2]->Remove(at->second.clicked);
  models_.erase(at);
}

}  // namespace dcmrank::service
