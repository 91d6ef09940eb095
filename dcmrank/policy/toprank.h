// TopRank (T. Lattimore, B. Kveton, S. Li and C. Szepesvári: TopRank: A practical algorithm for
// online stochastic ranking. NeurIPS 2018). Named toprank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "dcmrank/placement/placement.h"
#include "dcmrank/policy/policy.h"

namespace dcmrank {

/// Compares items in pairs: of two that stand in the same block, which is shuffled for every list,
/// the one that is clicked more often is better. Once that is certain, the other drops to a later
/// block. Assumes nothing of users but that better items, higher up, are clicked more. With
/// delta = 1/n.
class TopRank {
 public:
  /// It keeps two numbers for every pair of items.
  static constexpr std::size_t kMostItems = 2000;

  /// At most kMostItems. The blocks fill the positions in the given order.
  TopRank(const Shape& shape, PositionOrder order);

  /// O(L). The list remembers the blocks that it was made from.
  void rank(Rng& rng, Ranking& ranking);

  /// O(clicks L), but for an item that drops.
  void update(const Ranking& shown, Clicks clicks);

  nlohmann::ordered_json save() const;
  void load(const nlohmann::ordered_json& state);

 private:
  // Of items a < b: how often just one of two in the same block was clicked, and the clicks on a
  // less those on b.
  struct Pair {
    std::int64_t difference = 0;
    std::int64_t count = 0;
  };

  Pair& pair(Item a, Item b);
  bool beats(Item better, Item worse) const { return beats_[better * items_ + worse] != 0; }
  void compare(Item clicked, Item other);
  void add_victory(Item better, Item worse);
  bool place_beaten();
  void sort_blocks();

  std::size_t items_;
  PositionOrder order_;
  double log_confidence_;  // ln(c / delta)
  std::uint64_t pages_ = 0;
  std::vector<Pair> pairs_;           // by b, then a
  std::vector<std::uint8_t> beats_;   // by the better item, then the worse
  std::vector<std::uint32_t> block_;  // of each item: one after the last of those that beat it
  std::vector<Item> by_block_;        // the items, sorted by it
  std::vector<Item> falling_;         // scratch
  std::vector<Item> rest_;            // scratch: of the last block on the list, what is not on it
};

}  // namespace dcmrank
