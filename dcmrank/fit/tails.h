#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "dcmrank/fit/interner.h"
#include "dcmrank/model/interaction.h"

namespace dcmrank {

/// What stands below the last click of an impression: all that the likelihood needs of it beyond
/// the counts. The items are a set: their order does not matter.
struct Tail {
  std::uint32_t query = 0;
  std::uint32_t last = 0;                // position of the last click, counted from 0
  std::span<const std::uint32_t> items;  // increasing, never empty
  double impressions = 0;                // that have this tail
};

using TailVisitor = std::function<void(const Tail&)>;

/// Visits all tails of a log; each call visits them in the same order.
using TailSource = std::function<void(const TailVisitor&)>;

/// The distinct tails of a log and how often each occurred: a monoid under add and merge. More than
/// `most` are not kept: then overflown() stays true. One thread at a time.
class TailTable {
 public:
  explicit TailTable(std::size_t most) : most_(most) {}

  /// Adds the tail of an impression of `items` (numbers), if it has one.
  void add(std::uint32_t query, std::span<const std::uint32_t> items, Clicks clicks);

  /// Adds a tail; its items need not be sorted.
  void add(const Tail& tail);

  /// Adds the tails of another log, whose queries and items have other numbers.
  void merge(const TailTable& other, std::span<const std::uint32_t> query_of,
             std::span<const std::uint32_t> item_of);

  bool overflown() const { return overflown_; }
  std::size_t size() const { return impressions_.size(); }
  Tail operator[](std::uint32_t n) const;

 private:
  std::size_t most_;
  bool overflown_ = false;
  Interner keys_;  // of the words (number of items, query, last, items...) as bytes
  std::vector<double> impressions_;
  std::vector<std::uint32_t> sorted_;  // scratch
};

}  // namespace dcmrank
