#include "dcmrank/fit/counts_table.h"

#include <algorithm>
#include <utility>

namespace dcmrank {

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
  if (query == queries_.size()) queries_.push_back({});
  return query;
}

std::uint32_t CountsTable::item(std::uint32_t query, const Id& id) {
  const std::uint32_t item = item_ids_.intern(query, id);
  if (item == items_.size()) items_.push_back({});
  return item;
}

// Passes over the list that each fetch what the next looks at, so that the cache misses of its
// items overlap.
std::uint32_t CountsTable::add(const Impression& impression, std::vector<std::uint32_t>& items) {
  const std::uint32_t q = query(impression.query);
  const std::size_t size = impression.items.size();
  items.resize(size);
  hashes_.resize(size);
  for (std::size_t k = 0; k < size; ++k) hashes_[k] = item_ids_.look_up(q, impression.items[k]);
  const ClickedPage page(impression.clicks);
  count_positions(q, page);
  for (std::size_t k = 0; k < size; ++k) {
    items[k] = item_ids_.likely(hashes_[k]);
    if (items[k] != Interner::kAbsent) __builtin_prefetch(&items_[items[k]], 1);
  }
  for (std::size_t k = 0; k < size; ++k) {
    items[k] = item_ids_.intern(q, impression.items[k], hashes_[k], items[k]);
    if (items[k] == items_.size()) items_.push_back({});
    count_item(items[k], k, page);
  }
  return q;
}

// Room for longer lists is elsewhere; what the shorter ones had is lost.
void CountsTable::lengthen(SmallQuery& query, std::size_t positions) {
  const std::size_t begin = positions_.add_together(positions);
  for (std::size_t k = 0; k < query.positions; ++k)
    positions_[begin + k] = positions_[query.begin + k];
  query.begin = begin;
  query.positions = static_cast<std::uint32_t>(positions);
}

// Looks at all, without branches, which the processor cannot foretell.
CountsTable::ClickedPage::ClickedPage(Clicks page_clicks)
    : clicks(page_clicks),
      first(0),
      last(last_click(clicks)),
      observed(observed_prefix(last, clicks.size())) {
  for (std::size_t k = clicks.size(); k > 0; --k) first = clicks[k - 1] != 0 ? k : first;
}

void CountsTable::count_positions(std::uint32_t q, const ClickedPage& page) {
  const Clicks clicks = page.clicks;
  SmallQuery& query = queries_[q];
  if (query.positions < clicks.size()) lengthen(query, clicks.size());
  SmallPosition* const positions = &positions_[query.begin];
  if (!clicks.empty()) positions[clicks.size() - 1].length += 1;
  for (std::size_t k = 0; k < page.last; ++k) positions[k].clicked += clicks[k];
  if (page.last > 0) {
    positions[page.last - 1].last += 1;
    if (page.last == clicks.size()) positions[page.last - 1].end += 1;
  }
  if (++query.impressions == kLarge) enlarge_query(q);
}

// Without branches on what users did.
void CountsTable::count_item(std::uint32_t item, std::size_t k, const ClickedPage& page) {
  const auto one_if = [](bool condition) { return condition ? 1U : 0U; };
  SmallItem& counts = items_[item];
  counts.prefix_observed += one_if(k < page.observed);
  counts.prefix_attracted += one_if(page.clicks[k] != 0);
  counts.first_observed += one_if(page.first == 0 || k < page.first);
  counts.first_attracted += one_if(k + 1 == page.first);
  counts.last += one_if(k + 1 == page.last);
  if (++counts.impressions == kLarge) enlarge_item(item);
}

void CountsTable::enlarge_query(std::uint32_t query) {
  large_queries_[query].merge(small_query(query));
  SmallQuery& small = queries_[query];
  small.impressions = 0;
  for (std::size_t k = 0; k < small.positions; ++k) positions_[small.begin + k] = {};
}

void CountsTable::enlarge_item(std::uint32_t item) {
  large_items_[item].merge(widened(items_[item]));
  items_[item] = {};
}

ItemCounts CountsTable::widened(const SmallItem& small) {
  const auto wide = [](std::uint32_t count) { return static_cast<double>(count); };
  return {{wide(small.prefix_observed), wide(small.prefix_attracted)},
          {wide(small.first_observed), wide(small.first_attracted)},
          wide(small.impressions),
          wide(small.last)};
}

QueryCounts CountsTable::small_query(std::uint32_t query) const {
  const SmallQuery& small = queries_[query];
  QueryCounts counts{static_cast<double>(small.impressions), {}};
  for (std::size_t k = 0; k < small.positions; ++k) {
    const SmallPosition& at = positions_[small.begin + k];
    counts.positions.push_back({static_cast<double>(at.length), static_cast<double>(at.clicked),
                                static_cast<double>(at.last), static_cast<double>(at.end)});
  }
  for (std::size_t k = small.positions; k > 1; --k) {
    counts.positions[k - 2].shown += counts.positions[k - 1].shown;
  }
  return counts;
}

QueryCounts CountsTable::of_query(std::uint32_t query) const {
  QueryCounts counts = small_query(query);
  const auto large = large_queries_.find(query);
  if (large != large_queries_.end()) counts.merge(large->second);
  return counts;
}

ItemCounts CountsTable::of_item(std::uint32_t item) const {
  ItemCounts counts = widened(items_[item]);
  const auto large = large_items_.find(item);
  if (large != large_items_.end()) counts.merge(large->second);
  return counts;
}

double CountsTable::impressions_of_query(std::uint32_t query) const {
  const auto small = static_cast<double>(queries_[query].impressions);
  if (large_queries_.empty()) return small;
  const auto large = large_queries_.find(query);
  return large == large_queries_.end() ? small : small + large->second.impressions;
}

double CountsTable::impressions_of_item(std::uint32_t item) const {
  const auto small = static_cast<double>(items_[item].impressions);
  if (large_items_.empty()) return small;
  const auto large = large_items_.find(item);
  return large == large_items_.end() ? small : small + large->second.impressions;
}

std::size_t CountsTable::positions_of_query(std::uint32_t query) const {
  const auto large = large_queries_.find(query);
  const std::size_t kept = large == large_queries_.end() ? 0 : large->second.positions.size();
  return std::max<std::size_t>(queries_[query].positions, kept);
}

namespace {

// Adds where there is room; counts that others wrote need not make sense.
bool has_room(std::uint32_t small, double added) {
  return added >= 0 && static_cast<double>(small) + added < 0x1p31;
}

// Lists that have position k (from 0) and none below.
double lists_of_length(const QueryCounts& counts, std::size_t k) {
  const auto& positions = counts.positions;
  return positions[k].shown - (k + 1 < positions.size() ? positions[k + 1].shown : 0);
}

std::uint32_t narrow(double count) { return static_cast<std::uint32_t>(count); }

}  // namespace

void CountsTable::add_to_query(std::uint32_t query, const QueryCounts& counts) {
  SmallQuery& small = queries_[query];
  bool fits = has_room(small.impressions, counts.impressions);
  for (std::size_t k = 0; k < counts.positions.size(); ++k) {
    const PositionCounts& p = counts.positions[k];
    const SmallPosition at = k < small.positions ? positions_[small.begin + k] : SmallPosition{};
    fits = fits && has_room(at.length, lists_of_length(counts, k)) &&
           has_room(at.clicked, p.clicked) && has_room(at.last, p.last) && has_room(at.end, p.end);
  }
  if (!fits) {
    large_queries_[query].merge(counts);
    return;
  }
  if (small.positions < counts.positions.size()) lengthen(small, counts.positions.size());
  small.impressions += narrow(counts.impressions);
  for (std::size_t k = 0; k < counts.positions.size(); ++k) {
    SmallPosition& at = positions_[small.begin + k];
    const PositionCounts& added = counts.positions[k];
    at.length += narrow(lists_of_length(counts, k));
    at.clicked += narrow(added.clicked);
    at.last += narrow(added.last);
    at.end += narrow(added.end);
  }
}

void CountsTable::add_to_item(std::uint32_t item, const ItemCounts& counts) {
  SmallItem& small = items_[item];
  if (!has_room(small.impressions, counts.impressions) ||
      !has_room(small.prefix_observed, counts.prefix.observed) ||
      !has_room(small.prefix_attracted, counts.prefix.attracted) ||
      !has_room(small.first_observed, counts.first.observed) ||
      !has_room(small.first_attracted, counts.first.attracted) ||
      !has_room(small.last, counts.last)) {
    large_items_[item].merge(counts);
    return;
  }
  small.prefix_observed += narrow(counts.prefix.observed);
  small.prefix_attracted += narrow(counts.prefix.attracted);
  small.first_observed += narrow(counts.first.observed);
  small.first_attracted += narrow(counts.first.attracted);
  small.impressions += narrow(counts.impressions);
  small.last += narrow(counts.last);
}

void CountsTable::merge(const CountsTable& other) {
  CountsTable copy = other;
  std::vector<std::uint32_t> query_of;
  std::vector<std::uint32_t> item_of;
  take(std::move(copy), query_of, item_of);
}

void CountsTable::take(CountsTable&& other, std::vector<std::uint32_t>& query_of,
                       std::vector<std::uint32_t>& item_of) {
  other.query_ids_.forget_slots();
  other.item_ids_.forget_slots();
  query_of.resize(other.query_count());
  for (std::uint32_t q = 0; q < query_of.size(); ++q) {
    query_of[q] = query(Id(other.query_ids_.text(q)));
    add_to_query(query_of[q], other.of_query(q));
  }
  other.queries_ = {};
  other.positions_ = {};
  other.query_ids_ = {};
  item_of.resize(other.item_count());
  for (std::uint32_t i = 0; i < item_of.size(); ++i) {
    item_of[i] = item(query_of[other.item_ids_.scope(i)], Id(other.item_ids_.text(i)));
    add_to_item(item_of[i], other.of_item(i));
    if (i % Blocks<SmallItem>::kBlock != 0) continue;
    other.items_.forget_before(i);
    other.item_ids_.forget_before(i);
  }
  other = {};
}

}  // namespace dcmrank
