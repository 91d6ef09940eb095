#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "dcmrank/fit/counts_table.h"

namespace dcmrank {

namespace {

// Adds where there is room; counts that others wrote need not make sense.
bool has_room(int small, double added) {
  return added >= 0 && static_cast<double>(small) + added < 0x1p15 - 1;
}

// Lists that have position k (from 0) and none below.
double lists_of_length(const QueryCounts& counts, std::size_t k) {
  const auto& positions = counts.positions;
  return positions[k].shown - (k + 1 < positions.size() ? positions[k + 1].shown : 0);
}

void add_small(std::uint16_t& small, double added) {
  small = static_cast<std::uint16_t>(small + static_cast<int>(added));
}

}  // namespace

void CountsTable::add_to_query(std::uint32_t query, const QueryCounts& counts) {
  SmallQuery& small = queries_[query];
  bool fits = has_room(small.impressions & kMostSmall, counts.impressions);
  for (std::size_t k = 0; k < counts.positions.size(); ++k) {
    const PositionCounts& p = counts.positions[k];
    const SmallPosition at = k < small.positions ? positions_[small.begin + k] : SmallPosition{};
    fits = fits && has_room(at.length, lists_of_length(counts, k)) &&
           has_room(at.clicked, p.clicked) && has_room(at.last, p.last) && has_room(at.end, p.end);
  }
  if (!fits) {
    large_queries_[query].merge(counts);
    small.impressions |= kHasLarge;
    return;
  }
  if (small.positions < counts.positions.size()) lengthen(small, counts.positions.size());
  add_small(small.impressions, counts.impressions);
  for (std::size_t k = 0; k < counts.positions.size(); ++k) {
    SmallPosition& at = positions_[small.begin + k];
    const PositionCounts& added = counts.positions[k];
    add_small(at.length, lists_of_length(counts, k));
    add_small(at.clicked, added.clicked);
    add_small(at.last, added.last);
    add_small(at.end, added.end);
  }
}

void CountsTable::add_to_item(std::uint32_t item, const ItemCounts& counts) {
  SmallItem& small = item_ids_.value(item);
  if (!has_room(small.impressions & kMostSmall, counts.impressions) ||
      !has_room(small.prefix_observed, counts.prefix.observed) ||
      !has_room(small.prefix_attracted, counts.prefix.attracted) ||
      !has_room(small.first_observed, counts.first.observed) ||
      !has_room(small.first_attracted, counts.first.attracted) ||
      !has_room(small.last, counts.last)) {
    large_items_[item].merge(counts);
    small.impressions |= kHasLarge;
    return;
  }
  add_small(small.impressions, counts.impressions);
  add_small(small.prefix_observed, counts.prefix.observed);
  add_small(small.prefix_attracted, counts.prefix.attracted);
  add_small(small.first_observed, counts.first.observed);
  add_small(small.first_attracted, counts.first.attracted);
  add_small(small.last, counts.last);
}

void CountsTable::merge(const CountsTable& other) {
  CountsTable copy = other;
  std::vector<std::uint32_t> query_of;
  std::vector<std::uint32_t> item_of;
  take(std::move(copy), query_of, item_of);
}

namespace {

// Small counts, the first so many bytes of it, as words of four.
template <std::size_t bytes, class Small>
auto words_of(const Small& small) {
  static_assert(bytes <= sizeof(Small));
  std::array<std::uint64_t, (bytes + 7) / 8> all{};
  std::memcpy(all.data(), &small, bytes);
  return all;
}

// Whether four sums stay below 2^15, so that nothing is carried from one to the next.
bool can_add(std::uint64_t a, std::uint64_t b) { return ((a | b) & 0xc000'c000'c000'c000U) == 0; }

}  // namespace

void CountsTable::take_query(std::uint32_t query, const CountsTable& other, std::uint32_t n) {
  const SmallQuery& added = other.queries_[n];
  const auto word = [](const Blocks<SmallPosition>& positions, std::size_t at) {
    return words_of<sizeof(SmallPosition)>(positions[at])[0];
  };
  SmallQuery& small = queries_[query];
  bool fits = can_add(small.impressions, added.impressions);
  for (std::size_t k = 0; fits && k < added.positions; ++k) {
    const std::uint64_t here = k < small.positions ? word(positions_, small.begin + k) : 0;
    fits = can_add(here, word(other.positions_, added.begin + k));
  }
  if (!fits) return add_to_query(query, other.of_query(n));
  if (small.positions < added.positions) lengthen(small, added.positions);
  small.impressions = static_cast<std::uint16_t>(small.impressions + added.impressions);
  for (std::size_t k = 0; k < added.positions; ++k) {
    const std::uint64_t sum =
        word(positions_, small.begin + k) + word(other.positions_, added.begin + k);
    std::memcpy(&positions_[small.begin + k], &sum, sizeof sum);
  }
}

void CountsTable::take_item(std::uint32_t item, const CountsTable& other, std::uint32_t n) {
  auto sums = words_of<SmallItem::kCounts>(item_ids_.value(item));
  const auto added = words_of<SmallItem::kCounts>(other.item_ids_.value(n));
  if (!can_add(sums[0], added[0]) || !can_add(sums[1], added[1])) {
    return add_to_item(item, other.of_item(n));
  }
  for (std::size_t w = 0; w < sums.size(); ++w) sums[w] += added[w];
  std::memcpy(&item_ids_.value(item), sums.data(), SmallItem::kCounts);
}

void CountsTable::take(CountsTable&& other, std::vector<std::uint32_t>& query_of,
                       std::vector<std::uint32_t>& item_of) {
  other.query_ids_.forget_slots();
  other.item_ids_.forget_slots();
  query_of.resize(other.query_count());
  for (std::uint32_t q = 0; q < query_of.size(); ++q) {
    query_of[q] = query(Id(other.query_ids_.text(q)));
    take_query(query_of[q], other, q);
  }
  other.queries_ = {};
  other.positions_ = {};
  other.query_ids_ = {};
  item_of.resize(other.item_count());
  std::vector<Id> ids;
  std::vector<std::uint32_t> scopes;
  for (std::size_t first = 0; first < item_of.size(); first += kTogether) {
    const std::size_t end = std::min(item_of.size(), first + kTogether);
    ids.clear();
    scopes.clear();
    for (std::size_t i = first; i < end; ++i) {
      const auto n = static_cast<std::uint32_t>(i);
      scopes.push_back(query_of[other.item_ids_.scope(n)]);
      ids.emplace_back(other.item_ids_.text(n));
    }
    const auto query = [&](std::size_t k) { return scopes[k]; };
    look_up_items(ids, query);
    number_items(ids, query, std::span(item_of).subspan(first, end - first));
    for (std::size_t i = first; i < end; ++i) {
      take_item(item_of[i], other, static_cast<std::uint32_t>(i));
    }
    other.item_ids_.forget_before(static_cast<std::uint32_t>(first));
  }
  other = {};
}

}  // namespace dcmrank
