#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dcmrank/fit/interner.h"
#include "dcmrank/log/impression.h"
#include "dcmrank/model/counts.h"

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
/// counted in pieces. Memory grows with the (query, item) pairs, not with the log. The prior is not
/// included. One thread at a time.
class CountsTable {
 public:
  /// Returns the query's number; `items` becomes the numbers of the (query, item) pairs.
  std::uint32_t add(const Impression& impression, std::vector<std::uint32_t>& items);
  void merge(const CountsTable& other);

  std::uint32_t query(const Id& id);
  std::uint32_t item(std::uint32_t query, const Id& id);

  const Interner& query_ids() const { return query_ids_; }
  const Interner& item_ids() const { return item_ids_; }  // in the scope of their query
  std::vector<QueryCounts>& queries() { return queries_; }
  std::vector<ItemCounts>& items() { return items_; }
  const std::vector<QueryCounts>& queries() const { return queries_; }
  const std::vector<ItemCounts>& items() const { return items_; }

 private:
  void count_items(std::span<const std::uint32_t> items, Clicks clicks);

  Interner query_ids_;
  Interner item_ids_;
  std::vector<QueryCounts> queries_;
  std::vector<ItemCounts> items_;
};

}  // namespace dcmrank
