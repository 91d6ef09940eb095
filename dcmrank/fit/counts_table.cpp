#include "dcmrank/fit/counts_table.h"

#include <algorithm>

namespace dcmrank {
namespace {

void count_positions(QueryCounts& query, Clicks clicks) {
  query.impressions += 1;
  if (query.positions.size() < clicks.size()) query.positions.resize(clicks.size());
  for (std::size_t k = 0; k < clicks.size(); ++k) {
    query.positions[k].shown += 1;
    query.positions[k].clicked += clicks[k];
  }
  const std::size_t last = last_click(clicks);
  if (last == 0) return;
  query.positions[last - 1].last += 1;
  if (last == clicks.size()) query.positions[last - 1].end += 1;
}

}  // namespace

void ItemCounts::merge(const ItemCounts& other) {
  prefix.merge(other.prefix);
  first.merge(other.first);
  impressions += other.impressions;
  last += other.last;
}

void PositionCounts::merge(const PositionCounts& other) {
  shown += other.shown;
  clicked += other.clicked;
  last += other.last;
  end += other.end;
}

void QueryCounts::merge(const QueryCounts& other) {
  impressions += other.impressions;
  positions.resize(std::max(positions.size(), other.positions.size()));
  for (std::size_t k = 0; k < other.positions.size(); ++k) positions[k].merge(other.positions[k]);
}

std::uint32_t CountsTable::query(const Id& id) {
  const std::uint32_t query = query_ids_.intern(0, id);
  if (query == queries_.size()) queries_.emplace_back();
  return query;
}

std::uint32_t CountsTable::item(std::uint32_t query, const Id& id) {
  const std::uint32_t item = item_ids_.intern(query, id);
  if (item == items_.size()) items_.emplace_back();
  return item;
}

// Three passes over the list, so that the cache misses of its items overlap.
std::uint32_t CountsTable::add(const Impression& impression, std::vector<std::uint32_t>& items) {
  const std::uint32_t q = query(impression.query);
  for (const Id& id : impression.items) item_ids_.prefetch(q, id);
  count_positions(queries_[q], impression.clicks);
  items.resize(impression.items.size());
  for (std::size_t k = 0; k < items.size(); ++k) {
    items[k] = item(q, impression.items[k]);
    __builtin_prefetch(&items_[items[k]], 1);
  }
  count_items(items, impression.clicks);
  return q;
}

void CountsTable::count_items(std::span<const std::uint32_t> items, Clicks clicks) {
  const std::size_t observed = observed_prefix(clicks);
  bool before_first = true;
  for (std::size_t k = 0; k < observed; ++k) {
    ItemCounts& counts = items_[items[k]];
    const bool click = clicks[k] != 0;
    counts.impressions += 1;
    counts.prefix.add(click);
    if (before_first) counts.first.add(click);
    before_first = before_first && !click;
    if (click && k + 1 == observed) counts.last += 1;
  }
  for (std::size_t k = observed; k < items.size(); ++k) items_[items[k]].impressions += 1;
}

void CountsTable::merge(const CountsTable& other) {
  for (std::uint32_t q = 0; q < other.queries_.size(); ++q) {
    queries_[query(Id(other.query_ids_.text(q)))].merge(other.queries_[q]);
  }
  for (std::uint32_t i = 0; i < other.items_.size(); ++i) {
    const std::uint32_t q = query(Id(other.query_ids_.text(other.item_ids_.scope(i))));
    items_[item(q, Id(other.item_ids_.text(i)))].merge(other.items_[i]);
  }
}

}  // namespace dcmrank
