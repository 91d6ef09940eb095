#include "dcmrank/fit/counts_table.h"

#include <algorithm>
#include <bit>
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
  return item_ids_.intern(query, id);
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

CountsTable::QueryNumbers CountsTable::number_queries(std::span<const Impression> pages) {
  std::array<std::uint64_t, ImpressionSink::kMostTogether> hashes{};
  QueryNumbers numbers;
  for (std::size_t p = 0; p < pages.size(); ++p) {
    hashes[p] = query_ids_.look_up(0, pages[p].query);
  }
  for (std::size_t p = 0; p < pages.size(); ++p) numbers[p] = query_ids_.likely(hashes[p]);
  for (std::size_t p = 0; p < pages.size(); ++p) {
    numbers[p] = query_ids_.intern(0, pages[p].query, hashes[p], numbers[p]);
    if (numbers[p] == queries_.size()) queries_.push_back({});
    __builtin_prefetch(&queries_[numbers[p]], 1);
  }
  return numbers;
}

// All six counts at once: none of them can reach 2^16.
inline void CountsTable::add_to(SmallItem& counts, Lanes added) {
  Lanes sum;
  std::memcpy(&sum, &counts, sizeof sum);
  sum += added;
  std::memcpy(&counts, &sum, sizeof sum);
}

// In passes over all pages, each of which fetches what the next looks at.
void CountsTable::add_several(std::span<const Impression> pages) {
  const QueryNumbers queries = number_queries(pages);
  std::size_t size = 0;
  for (const Impression& page : pages) size += page.items.size();
  if (hashes_.size() < size) hashes_.resize(size);
  if (places_.size() < size) places_.resize(size);
  std::uint64_t* hash = hashes_.data();
  for (std::size_t p = 0; p < pages.size(); ++p) {
    for (const Id& id : pages[p].items) *hash++ = item_ids_.look_up(queries[p], id);
  }
  for (std::size_t n = 0; n < size; ++n) places_[n] = item_ids_.likely_place(hashes_[n]);
  Place* place = places_.data();
  for (std::size_t p = 0; p < pages.size(); ++p) {
    const std::span<const Id> items = pages[p].items;
    const ClickedPage page(pages[p].clicks);
    count_positions(queries[p], page, 1);
    ItemSteps steps = page.steps(1);
    for (std::size_t k = 0; k < items.size(); ++k, ++place) {
      SmallItem* const counts = decltype(item_ids_)::value_at(*place, queries[p], items[k]);
      const Lanes added = steps.next(page.clicks[k] != 0);
      if (counts != nullptr && (counts->impressions & kMostSmall) != kMostSmall) {
        add_to(*counts, added);
      } else {
        add_to_item(item(queries[p], items[k]), 1, added);
      }
    }
  }
}

void CountsTable::add_to_item(std::uint32_t item, std::uint32_t times, Lanes added) {
  SmallItem& counts = item_ids_.value(item);
  if ((counts.impressions & kMostSmall) + times > kMostSmall) enlarge_item(item);
  add_to(counts, added);
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

namespace {

// A bit for each of eight bytes that is not zero.
std::uint64_t bits_of_bytes(const std::uint8_t* bytes) {
  constexpr std::uint64_t kSeven = 0x7f7f7f7f7f7f7f7fU;
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  const std::uint64_t set = (((word & kSeven) + kSeven) | word) & ~kSeven;
  return ((set >> 7U) * 0x0102040810204080U) >> 56U;
}

// A bit for each of at most 64 bytes that is not zero; the last eight may overlap.
std::uint64_t bits_of_clicks(Clicks clicks) {
  const std::size_t size = clicks.size();
  std::uint64_t bits = 0;
  if (size < 8) {
    for (std::size_t k = 0; k < size; ++k) {
      bits |= static_cast<std::uint64_t>(clicks[k] != 0) << k;
    }
    return bits;
  }
  for (std::size_t k = 0; k + 8 < size; k += 8) bits |= bits_of_bytes(&clicks[k]) << k;
  return bits | bits_of_bytes(&clicks[size - 8]) << (size - 8);
}

}  // namespace

// Without branches on what users did, which the processor cannot foretell.
CountsTable::ClickedPage::ClickedPage(Clicks page_clicks) : clicks(page_clicks) {
  if (clicks.size() <= kBits) {
    bits = bits_of_clicks(clicks);
    first = bits == 0 ? 0 : static_cast<std::size_t>(std::countr_zero(bits)) + 1;
    last = static_cast<std::size_t>(std::bit_width(bits));
  } else {
    last = last_click(clicks);
    for (std::size_t k = clicks.size(); k > 0; --k) first = clicks[k - 1] != 0 ? k : first;
  }
  observed = observed_prefix(last, clicks.size());
  to_first = observed_prefix(first, clicks.size());
}

// No count is above that of the impressions, so none of them can overflow.
void CountsTable::count_positions(std::uint32_t q, const ClickedPage& page, std::uint32_t times) {
  const Clicks clicks = page.clicks;
  SmallQuery& query = queries_[q];
  if ((query.impressions & kMostSmall) + times > kMostSmall) enlarge_query(q);
  if (query.positions < clicks.size()) lengthen(query, clicks.size());
  SmallPosition* const positions = &positions_[query.begin];
  const auto add = [&](std::uint16_t& count, bool counts) {
    count = static_cast<std::uint16_t>(count + times * static_cast<std::uint32_t>(counts));
  };
  if (clicks.empty()) return add(query.impressions, true);
  add(positions[clicks.size() - 1].length, true);
  std::uint64_t bits = page.bits;
  for (int foreseen = 0; foreseen < 2; ++foreseen, bits &= bits - 1) {
    add(positions[bits == 0 ? 0 : std::countr_zero(bits)].clicked, bits != 0);
  }
  for (; bits != 0; bits &= bits - 1) add(positions[std::countr_zero(bits)].clicked, true);
  if (clicks.size() > ClickedPage::kBits) {
    for (std::size_t k = 0; k < clicks.size(); ++k) add(positions[k].clicked, clicks[k] != 0);
  }
  const bool any = page.last > 0;
  SmallPosition& last = positions[any ? page.last - 1 : 0];
  add(last.last, any);
  add(last.end, any && page.last == clicks.size());
  add(query.impressions, true);
}

void CountsTable::count_items(std::span<const std::uint32_t> items, const ClickedPage& page,
                              std::uint32_t times) {
  ItemSteps steps = page.steps(times);
  for (std::size_t k = 0; k < items.size(); ++k) {
    add_to_item(items[k], times, steps.next(page.clicks[k] != 0));
  }
}

void CountsTable::enlarge_query(std::uint32_t query) {
  large_queries_[query].merge(small_query(query));
  SmallQuery& small = queries_[query];
  small.impressions = kHasLarge;
  for (std::size_t k = 0; k < small.positions; ++k) positions_[small.begin + k] = {};
}

void CountsTable::enlarge_item(std::uint32_t item) {
  large_items_[item].merge(widened(item_ids_.value(item)));
  item_ids_.value(item) = {kHasLarge, 0, 0, 0, 0, 0, item_ids_.scope(item)};
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
  ItemCounts counts = widened(item_ids_.value(item));
  if ((item_ids_.value(item).impressions & kHasLarge) != 0) counts.merge(large_items_.at(item));
  return counts;
}

double CountsTable::impressions_of_query(std::uint32_t query) const {
  const std::uint16_t small = queries_[query].impressions;
  const double large = (small & kHasLarge) != 0 ? large_queries_.at(query).impressions : 0;
  return large + (small & kMostSmall);
}

double CountsTable::impressions_of_item(std::uint32_t item) const {
  const std::uint16_t small = item_ids_.value(item).impressions;
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
