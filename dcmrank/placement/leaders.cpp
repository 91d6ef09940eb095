#include "dcmrank/placement/leaders.h"

#include <algorithm>
#include <bit>

#include "dcmrank/model/prior.h"
#include "dcmrank/select/tie_draws.h"

namespace dcmrank {

LeaderTree::LeaderTree(std::size_t items)
    : means_((items + kBlock - 1) / kBlock * kBlock, -1.0),
      leaves_(std::bit_ceil(std::max<std::size_t>(means_.size() / kBlock, 1))),
      nodes_(2 * leaves_) {}

LeaderTree::Node LeaderTree::larger(const Node& a, const Node& b) {
  if (a.mean == b.mean) return {a.mean, a.items + b.items};
  return a.mean > b.mean ? a : b;
}

LeaderTree::Node LeaderTree::best_of_block(std::size_t node) const {
  Node best;
  for (const double mean : block(node)) best = larger(best, {mean, 1});
  return best;
}

void LeaderTree::changed(Item e, const Counts& counts) {
  if (!is_built_) return;
  means_[e] = mean(counts);
  std::size_t n = leaves_ + e / kBlock;
  nodes_[n] = best_of_block(n);
  while ((n /= 2) > 0) nodes_[n] = larger(nodes_[2 * n], nodes_[2 * n + 1]);
}

void LeaderTree::build(std::span<const Counts> counts) {
  for (std::size_t e = 0; e < counts.size(); ++e) means_[e] = mean(counts[e]);
  const std::size_t blocks = means_.size() / kBlock;
  for (std::size_t b = 0; b < blocks; ++b) nodes_[leaves_ + b] = best_of_block(leaves_ + b);
  for (std::size_t n = leaves_ - 1; n > 0; --n) {
    nodes_[n] = larger(nodes_[2 * n], nodes_[2 * n + 1]);
  }
  is_built_ = true;
}

void LeaderTree::find(std::uint64_t key, std::span<const Counts> counts, std::span<const Item> best,
                      ExplorerRoom& room) {
  if (!is_built_) build(counts);
  const std::size_t most =
      best.size() * (static_cast<std::size_t>(std::bit_width(leaves_)) + kBlock);
  waiting_.reserve(most);  // what is opened on the way to as many items
  level_.reserve(most);
  std::size_t tied = find_means(room.leader_means, best.size());
  const double last = room.leader_means.back();
  auto places = static_cast<std::size_t>(
      std::count(room.leader_means.begin(), room.leader_means.end(), last));
  TieDraws draws(key);
  room.displaced.clear();
  room.chosen.clear();
  for (const Item e : best) {
    const double own = mean(counts[e]);
    bool leads = own > last;
    if (own == last) {  // one of the `tied`, of whom `places` lead
      leads = draws.below(tied--) < places;
      places -= leads ? 1 : 0;
    }
    room.chosen.push_back({own, e, leads, counts[e].observed});
  }
}

// The `count` largest means, the largest first; how many items have the last of them.
std::size_t LeaderTree::find_means(std::vector<double>& means, std::size_t count) {
  means.clear();
  waiting_.clear();
  wait_for(nodes_[1].mean, 1);
  for (;;) {
    const double largest = waiting_.front().mean;
    const std::size_t items = next_level();
    if (means.size() + items >= count) {
      means.resize(count, largest);
      return items;
    }
    means.resize(means.size() + items, largest);
    open_level();
  }
}

// Moves the nodes of the largest mean from the heap to level_; how many items have it.
std::size_t LeaderTree::next_level() {
  level_.clear();
  std::size_t items = 0;
  const double largest = waiting_.front().mean;
  while (!waiting_.empty() && waiting_.front().mean == largest) {
    std::pop_heap(waiting_.begin(), waiting_.end());
    const std::size_t node = waiting_.back().node;
    waiting_.pop_back();
    items += node == kItem ? 1 : nodes_[node].items;
    if (node != kItem) level_.push_back(node);
  }
  return items;
}

// Puts whatever is below the nodes of level_ with a smaller mean into the heap.
void LeaderTree::open_level() {
  while (!level_.empty()) {
    const std::size_t n = level_.back();
    level_.pop_back();
    if (n >= leaves_) {
      for (const double mean : block(n)) {
        if (mean < nodes_[n].mean) wait_for(mean, kItem);
      }
      continue;
    }
    for (const std::size_t child : {2 * n, 2 * n + 1}) {
      if (nodes_[child].mean == nodes_[n].mean) {
        level_.push_back(child);
      } else {
        wait_for(nodes_[child].mean, child);
      }
    }
  }
}

void LeaderTree::wait_for(double mean, std::size_t node) {
  if (mean < 0) return;  // there is no item
  waiting_.push_back({mean, node});
  std::push_heap(waiting_.begin(), waiting_.end());
}

}  // namespace dcmrank
