#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <unordered_map>
#include <vector>

#include "dcmrank/base/blocks.h"
#include "dcmrank/base/identity.h"
#include "dcmrank/fit/interner.h"
#include "dcmrank/fit/item_steps.h"
#include "dcmrank/model/counts.h"
#include "dcmrank/page/impression.h"

namespace dcmrank {

/// What was counted for one item of one query. Sums of whole numbers, exact up to 2^53.
struct ItemCounts {
  Counts prefix;           // over positions certain to be examined (Sec. 3.2): Guo et al.
  Counts first;            // over positions up to the first click: the cascade model
  double impressions = 0;  // in any position
  double last = 0;         // times it was the last click: SDBN

  void merge(const ItemCounts& other);
  bool operator==(const ItemCounts&) const = default;
};

/// What was counted for one position of the lists of one query.
struct PositionCounts {
  double shown = 0;    // lists that reach it
  double clicked = 0;  // clicks there
  double last = 0;     // last clicks there
  double end = 0;  // last clicks there on lists that end there, which say nothing about termination

  void merge(const PositionCounts& other);
  bool operator==(const PositionCounts&) const = default;
};

struct QueryCounts {
  double impressions = 0;
  std::vector<PositionCounts> positions;  // as many as its longest list has

  void merge(const QueryCounts& other);
  bool operator==(const QueryCounts&) const = default;
};

/// What all counting estimators need from a log: a monoid under add and merge, so that logs are
/// counted in pieces. Memory grows with the (query, item) pairs, not with the log: about 42 bytes a
/// pair and 40 a query, 8 a position of a query. The prior is not included. One thread at a time.
class CountsTable {
  // Counts in 16 bits. Before they overflow they are moved to what is kept for the few large ones,
  // which a bit of the impressions tells.
  struct SmallItem {
    std::uint16_t impressions, prefix_observed, prefix_attracted, first_observed;
    std::uint16_t first_attracted, last;
    std::uint32_t scope;                        // the query; with it they are one vector
    static constexpr std::size_t kCounts = 12;  // bytes
  };

 public:
  /// Returns the query's number; `items` becomes the numbers of the (query, item) pairs. `times`:
  /// how often the page is added, at most ImpressionSink::kMostRepeats.
  std::uint32_t add(const Impression& impression, std::vector<std::uint32_t>& items,
                    std::uint32_t times = 1);
  /// Adds several, at most ImpressionSink::kMostTogether, without their numbers.
  void add_several(std::span<const Impression> pages);

  void merge(const CountsTable& other);
  /// The same; `other` is given back piece by piece. `query_of` and `item_of` become the numbers
  /// here of what it numbers.
  void take(CountsTable&& other, std::vector<std::uint32_t>& query_of,
            std::vector<std::uint32_t>& item_of);

  std::uint32_t query(const Id& id);
  std::uint32_t item(std::uint32_t query, const Id& id);
  void add_to_query(std::uint32_t query, const QueryCounts& counts);
  void add_to_item(std::uint32_t item, const ItemCounts& counts);

  std::size_t query_count() const { return queries_.size(); }
  std::size_t item_count() const { return item_ids_.size(); }
  const Interner& query_ids() const { return query_ids_; }
  const InternerOf<SmallItem>& item_ids() const {
    return item_ids_;
  }  // in the scope of their query
  QueryCounts of_query(std::uint32_t query) const;
  ItemCounts of_item(std::uint32_t item) const;
  double impressions_of_query(std::uint32_t query) const;
  double impressions_of_item(std::uint32_t item) const;
  std::size_t positions_of_query(std::uint32_t query) const;

 private:
  struct SmallPosition {
    std::uint16_t length;  // lists that have this position and none below: shown is their sum
    std::uint16_t clicked, last, end;
  };
  struct SmallQuery {
    std::uint16_t impressions;
    std::uint16_t positions;
    std::uint32_t begin;  // in positions_
  };
  static constexpr std::uint16_t kHasLarge = std::uint16_t{1} << 15U;
  static constexpr std::uint16_t kMostSmall = kHasLarge - 1;
  static_assert(kMaxPositions < kMostSmall && ImpressionSink::kMostRepeats < kMostSmall);
  static constexpr std::size_t kTogether = 32;  // items that are looked up at once in merging

  // What the clicks of a page say about all of its items; positions from 1, 0 for none.
  struct ClickedPage {
    static constexpr std::size_t kBits = 64;
    explicit ClickedPage(Clicks clicks);
    ItemSteps steps(std::uint32_t times) const { return {observed, to_first, first, last, times}; }
    Clicks clicks;
    std::uint64_t bits = 0;  // a bit for each click, where there are at most kBits positions
    std::size_t first = 0;
    std::size_t last = 0;
    std::size_t observed = 0;  // positions that are certain to be examined
    std::size_t to_first = 0;  // those of the cascade model
  };

  using Lanes = ItemSteps::Lanes;
  using Place = InternerOf<SmallItem>::Place;

  // In two steps, between which something else may be done. `query_of` tells the query of each.
  template <class QueryOf>
  void look_up_items(std::span<const Id> ids, QueryOf query_of);
  template <class QueryOf>
  void number_items(std::span<const Id> ids, QueryOf query_of, std::span<std::uint32_t> items);
  /// The numbers of the queries of several pages.
  using QueryNumbers = std::array<std::uint32_t, ImpressionSink::kMostTogether>;
  QueryNumbers number_queries(std::span<const Impression> pages);
  void count_positions(std::uint32_t query, const ClickedPage& page, std::uint32_t times);
  void count_items(std::span<const std::uint32_t> items, const ClickedPage& page,
                   std::uint32_t times);
  static void add_to(SmallItem& counts, Lanes added);
  void add_to_item(std::uint32_t item, std::uint32_t times, Lanes added);
  void lengthen(SmallQuery& query, std::size_t positions);
  void take_query(std::uint32_t query, const CountsTable& other, std::uint32_t n);
  void take_item(std::uint32_t item, const CountsTable& other, std::uint32_t n);
  void enlarge_query(std::uint32_t query);
  void enlarge_item(std::uint32_t item);
  QueryCounts small_query(std::uint32_t query) const;
  static ItemCounts widened(const SmallItem& small);

  Identity identity_;
  Interner query_ids_;
  InternerOf<SmallItem> item_ids_;  // and what was counted for each
  Blocks<SmallQuery> queries_;
  Blocks<SmallPosition> positions_;
  std::vector<std::uint64_t> hashes_;  // of the items that are looked up, and room to spare
  std::vector<Place> places_;          // of those of several pages, the same
  std::unordered_map<std::uint32_t, QueryCounts> large_queries_;
  std::unordered_map<std::uint32_t, ItemCounts> large_items_;
};

// Passes over the items that each fetch what the next looks at, so that the cache misses of several
// overlap.
template <class QueryOf>
void CountsTable::look_up_items(std::span<const Id> ids, QueryOf query_of) {
  if (hashes_.size() < ids.size()) hashes_.resize(ids.size());
  for (std::size_t k = 0; k < ids.size(); ++k) {
    hashes_[k] = item_ids_.look_up(query_of(k), ids[k]);
  }
}

template <class QueryOf>
void CountsTable::number_items(std::span<const Id> ids, QueryOf query_of,
                               std::span<std::uint32_t> items) {
  for (std::size_t k = 0; k < ids.size(); ++k) {
    items[k] = item_ids_.likely(hashes_[k]);
  }
  for (std::size_t k = 0; k < ids.size(); ++k) {
    items[k] = item_ids_.intern(query_of(k), ids[k], hashes_[k], items[k]);
  }
}

}  // namespace dcmrank
