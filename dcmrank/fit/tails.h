#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "dcmrank/fit/interner.h"
#include "dcmrank/model/interaction.h"

namespace dcmrank {

/// What stands below the last click of an impression: all that the likelihood needs of it beyond
/// the counts, since everything down to the last click is certain to have been examined.
struct Tail {
  static constexpr std::uint32_t kNone = UINT32_MAX;

  std::uint32_t query = 0;
  std::uint32_t last = kNone;            // position of the last click, counted from 0
  std::uint32_t clicked = kNone;         // the item there, where tails are chains
  std::span<const std::uint32_t> items;  // never empty; increasing, or as shown in a chain
  double impressions = 0;                // that have this tail
};

using TailVisitor = std::function<void(const Tail&)>;

enum class TailKind : std::uint8_t {
  kSets,    // of lists with a click; the order of the items does not matter: DCM
  kChains,  // of all lists, with the clicked item and the items from the top: DBN, CCM
};

/// The tail of an impression of `items` (numbers), which it refers to; one without items if there
/// is none.
Tail tail_of(TailKind kind, std::uint32_t query, std::span<const std::uint32_t> items,
             Clicks clicks);

/// The distinct tails of a log and how often each occurred: a monoid under add and merge. More than
/// `most` are not kept: then overflown() stays true. One thread at a time.
class TailTable {
 public:
  explicit TailTable(std::size_t most, TailKind kind = TailKind::kSets)
      : most_(most), kind_(kind) {}

  /// Adds the tail of an impression of `items` (numbers), if it has one.
  void add(std::uint32_t query, std::span<const std::uint32_t> items, Clicks clicks);

  /// Adds a tail; the items of a set need not be sorted.
  void add(const Tail& tail);

  /// Adds the tails of another log, whose queries and items have other numbers.
  void merge(const TailTable& other, std::span<const std::uint32_t> query_of,
             std::span<const std::uint32_t> item_of);

  /// The sets that chains hold.
  TailTable as_sets() const;

  TailKind kind() const { return kind_; }
  std::size_t most() const { return most_; }
  bool overflown() const { return overflown_; }
  std::size_t size() const { return impressions_.size(); }
  Tail operator[](std::uint32_t n) const;

 private:
  std::size_t most_;
  TailKind kind_;
  bool overflown_ = false;
  Interner keys_;  // of the words (number of items, query, last, clicked, items...) as bytes
  std::vector<double> impressions_;
  std::vector<std::uint32_t> words_;  // scratch
};

}  // namespace dcmrank
