#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dcmrank/base/text.h"
#include "dcmrank/traffic/worker.h"

namespace dcmrank::traffic {

Scene::Scene(const TrafficOptions& options, std::string tag)
    : options_(&options), tag_(std::move(tag)) {
  double sum = 0;
  for (std::size_t n = 0; n < options.queries.size(); ++n) {
    const Query& query = options.queries[n];
    until_.push_back(sum += query.weight);
    std::string body = nlohmann::ordered_json{
        {"query", query_name(n)},
        {"model", options.model},
        {"k", query.dcm.positions()},
        {"items",
         query.items}}.dump();
    body.pop_back();
    bodies_.push_back(body + R"(,"id":")");
    auto& items = items_.emplace_back();
    for (Item e = 0; e < query.items.size(); ++e) items.emplace(query.items[e], e);
    users_.emplace_back(query.dcm, options.seed, n);
    best_.push_back(users_.back().best_expected_reward());
  }
}

std::string Scene::query_name(std::size_t n) const {
  return fmt::format("{}/{}", tag_, options_->queries[n].name);
}

std::string Scene::page_id(const Page& page) const { return fmt::format("{}-{}", tag_, page.user); }

std::string Scene::event_id(const Page& page, std::size_t event) const {
  return fmt::format("{}-{}-{}", tag_, page.user, event);
}

std::size_t Scene::draw(double uniform) const {
  const auto at = std::upper_bound(until_.begin(), until_.end(), uniform * until_.back());
  return std::min(static_cast<std::size_t>(at - until_.begin()), until_.size() - 1);
}

std::string Scene::rank_body(const Page& page) const {
  return bodies_[page.query] + page_id(page) + "\"}";
}

Item Scene::item(std::size_t query, std::string_view id) const {
  const auto at = items_[query].find(id);
  if (at == items_[query].end()) {
    throw std::runtime_error(
        fmt::format("the service shows {}, which it was never given", quote(id)));
  }
  return at->second;
}

}  // namespace dcmrank::traffic
