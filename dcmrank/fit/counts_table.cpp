#include "dcmrank/fit/counts_table.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
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

// What is looked for first is fetched while the positions are counted.
std::uint32_t CountsTable::add(const Impression& impression, std::vector<std::uint32_t>& items,
                               std::uint32_t times) {
  ListMemory* const memory = impression.memory;
  const bool known = memory != nullptr && memory->owner == identity_.number();
  const std::uint32_t q = known ? memory->query : query(impression.query);
  __builtin_prefetch(&queries_[q], 1);
  const auto query_of = [q](std::size_t) { return q; };
  if (known) {
    items = memory->items;
  } else {
    look_up_items(impression.items, query_of);
  }
  const ClickedPage page(impression.clicks);
  count_positions(q, page, times);
  if (!known) {
    items.resize(impression.items.size());
    number_items(impression.items, query_of, items);
    if (memory != nullptr) {
      memory->owner = identity_.number();
      memory->query = q;
      memory->items = items;
    }
  }
  count_items(items, page, times);
  return q;
}

// Room for longer lists is elsewhere; what the shorter ones had is lost.
void CountsTable::lengthen(SmallQuery& query, std::size_t positions) {
  const std::size_t begin = positions_.add_together(positions);
  if (begin > UINT32_MAX) throw std::runtime_error("more than 4 billion positions");
  for (std::size_t k = 0; k < query.positions; ++k)
    positions_[begin + k] = positions_[query.begin + k];
  query.begin = static_cast<std::uint32_t>(begin);
  query.positions = static_cast<std::uint16_t>(positions);
}

// Looks at all, without branches, which the processor cannot foretell.
CountsTable::ClickedPage::ClickedPage(Clicks page_clicks)
    : clicks(page_clicks), first(0), last(last_click(clicks)) {
  for (std::size_t k = clicks.size(); k > 0; --k) first = clicks[k - 1] != 0 ? k : first;
}

// No count is above that of the impressions, so none of them can overflow.
void CountsTable::count_positions(std::uint32_t q, const ClickedPage& page, std::uint32_t times) {
  const Clicks clicks = page.clicks;
  SmallQuery& query = queries_[q];
  if ((query.impressions & kMostSmall) + times > kMostSmall) enlarge_query(q);
  if (query.positions < clicks.size()) lengthen(query, clicks.size());
  SmallPosition* const positions = &positions_[query.begin];
  const auto add = [&](std::uint16_t& count, bool counts) {
    count = static_cast<std::uint16_t>(count + times * std::uint32_t{counts});
  };
  if (!clicks.empty()) add(positions[clicks.size() - 1].length, true);
  for (std::size_t k = 0; k < clicks.size(); ++k) add(positions[k].clicked, clicks[k] != 0);
  if (page.last > 0) {
    add(positions[page.last - 1].last, true);
    add(positions[page.last - 1].end, page.last == clicks.size());
  }
  add(query.impressions, true);
}

// Without branches on what users did.
void CountsTable::count_items(std::span<const std::uint32_t> items, const ClickedPage& page,
                              std::uint32_t times) {
  const std::size_t observed = observed_prefix(page.last, items.size());
  const std::size_t to_first = observed_prefix(page.first, items.size());
  const auto bit = [](bool condition, unsigned place) { return std::uint64_t{condition} << place; };
  for (std::size_t k = 0; k < items.size(); ++k) {  // in the order of SmallItem
    const std::uint64_t four =
        1 | bit(k < observed, 16) | bit(page.clicks[k] != 0, 32) | bit(k < to_first, 48);
    const std::uint64_t two = bit(k + 1 == page.first, 0) | bit(k + 1 == page.last, 16);
    count_item(items[k], times * four, static_cast<std::uint32_t>(times * two));
  }
}

// All six at once: none of them can reach 2^16, so that nothing is carried from one to the next.
void CountsTable::count_item(std::uint32_t item, std::uint64_t four, std::uint32_t two) {
  SmallItem& counts = items_[item];
  if ((counts.impressions & kMostSmall) + (four & kMostSmall) > kMostSmall) enlarge_item(item);
  std::uint64_t had_four = 0;
  std::uint32_t had_two = 0;
  std::memcpy(&had_four, &counts, sizeof four);
  std::memcpy(&had_two, &counts.first_attracted, sizeof two);
  four += had_four;
  two += had_two;
  std::memcpy(&counts, &four, sizeof four);
  std::memcpy(&counts.first_attracted, &two, sizeof two);
}

void CountsTable::enlarge_query(std::uint32_t query) {
  large_queries_[query].merge(small_query(query));
  SmallQuery& small = queries_[query];
  small.impressions = kHasLarge;
  for (std::size_t k = 0; k < small.positions; ++k) positions_[small.begin + k] = {};
}

void CountsTable::enlarge_item(std::uint32_t item) {
  large_items_[item].merge(widened(items_[item]));
  items_[item] = {kHasLarge, 0, 0, 0, 0, 0};
}

ItemCounts CountsTable::widened(const SmallItem& small) {
  const auto wide = [](int count) { return static_cast<double>(count); };
  return {{wide(small.prefix_observed), wide(small.prefix_attracted)},
          {wide(small.first_observed), wide(small.first_attracted)},
          wide(small.impressions & kMostSmall),
          wide(small.last)};
}

QueryCounts CountsTable::small_query(std::uint32_t query) const {
  const SmallQuery& small = queries_[query];
  QueryCounts counts{static_cast<double>(small.impressions & kMostSmall), {}};
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
  if ((queries_[query].impressions & kHasLarge) != 0) counts.merge(large_queries_.at(query));
  return counts;
}

ItemCounts CountsTable::of_item(std::uint32_t item) const {
  ItemCounts counts = widened(items_[item]);
  if ((items_[item].impressions & kHasLarge) != 0) counts.merge(large_items_.at(item));
  return counts;
}

double CountsTable::impressions_of_query(std::uint32_t query) const {
  const std::uint16_t small = queries_[query].impressions;
  const double large = (small & kHasLarge) != 0 ? large_queries_.at(query).impressions : 0;
  return large + (small & kMostSmall);
}

double CountsTable::impressions_of_item(std::uint32_t item) const {
  const std::uint16_t small = items_[item].impressions;
  const double large = (small & kHasLarge) != 0 ? large_items_.at(item).impressions : 0;
  return large + (small & kMostSmall);
}

std::size_t CountsTable::positions_of_query(std::uint32_t query) const {
  const SmallQuery& small = queries_[query];
  const bool has_large = (small.impressions & kHasLarge) != 0;
  const std::size_t kept = has_large ? large_queries_.at(query).positions.size() : 0;
  return std::max<std::size_t>(small.positions, kept);
}

}  // namespace dcmrank
