#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dcmrank/model/counts.h"
#include "dcmrank/model/interaction.h"
#include "dcmrank/placement/explorers.h"

namespace dcmrank {

/// The leaders among many items: a tree in which every node knows the largest mean below it and how
/// many items have it. A round costs O(K log L), however many items tie. One thread at a time.
class LeaderTree {
 public:
  explicit LeaderTree(std::size_t items);

  /// The counts of this item have changed to these. O(log L).
  void changed(Item e, const Counts& counts);
  /// Any counts may have changed.
  void start_over() { is_built_ = false; }

  /// Fills `room` with the items of `best`, the best first, for place_chosen. The leaders are as
  /// many as `best`; among items that tie for the last places they are drawn by `key`.
  void find(std::uint64_t key, std::span<const Counts> counts, std::span<const Item> best,
            ExplorerRoom& room);

 private:
  struct Node {
    double mean = -1;
    std::uint32_t items = 0;  // that have this mean
  };
  static constexpr std::size_t kItem = 0;
  struct Waiting {
    double mean;
    std::size_t node;  // or kItem
    bool operator<(const Waiting& other) const { return mean < other.mean; }
  };

  void build(std::span<const Counts> counts);
  static Node larger(const Node& a, const Node& b);
  Node best_of_block(std::size_t node) const;
  std::size_t find_means(std::vector<double>& means, std::size_t count);
  std::size_t next_level();
  void open_level();
  void wait_for(double mean, std::size_t node);

  static constexpr std::size_t kBlock = 8;  // a line of the cache

  std::span<const double> block(std::size_t node) const {
    return std::span(means_).subspan((node - leaves_) * kBlock, kBlock);
  }

  std::vector<double> means_;  // by item, in whole blocks; -1 where there is no item
  std::size_t leaves_;
  std::vector<Node> nodes_;  // below n: 2 n and 2 n + 1; from leaves_ on, the blocks
  bool is_built_ = false;
  // Scratch of find.
  std::vector<Waiting> waiting_;    // a heap
  std::vector<std::size_t> level_;  // nodes with the largest mean of those that waited
};

}  // namespace dcmrank
