#include "dcmrank/fit/contexts.h"

#include <algorithm>
#include <tuple>

namespace dcmrank {

void ContextTable::add(std::uint32_t item, const ContextCounts& counts) {
  if (items_.size() <= item) items_.resize(item + 1);
  auto& contexts = items_[item];
  const auto at =
      std::lower_bound(contexts.begin(), contexts.end(), counts, [](const auto& a, const auto& b) {
        return std::tie(a.position, a.distance) < std::tie(b.position, b.distance);
      });
  if (at != contexts.end() && at->position == counts.position && at->distance == counts.distance) {
    at->counts.merge(counts.counts);
  } else {
    contexts.insert(at, counts);
  }
}

void ContextTable::add(std::span<const std::uint32_t> items, Clicks clicks) {
  std::uint32_t distance = 0;
  for (std::uint32_t k = 0; k < items.size(); ++k) {
    const bool clicked = clicks[k] != 0;
    add(items[k], {k, last_click_ ? distance : 0, {1, clicked ? 1.0 : 0.0}});
    distance = clicked ? 1 : distance + (distance > 0 ? 1 : 0);
  }
}

void ContextTable::merge(const ContextTable& other, std::span<const std::uint32_t> item_of) {
  for (std::uint32_t i = 0; i < other.items_.size(); ++i) {
    for (const ContextCounts& counts : other.items_[i]) add(item_of[i], counts);
  }
}

ContextTable ContextTable::by_position() const {
  ContextTable table(false);
  for (std::uint32_t i = 0; i < items_.size(); ++i) {
    for (const ContextCounts& at : items_[i]) table.add(i, {at.position, 0, at.counts});
  }
  return table;
}

std::span<const ContextCounts> ContextTable::of_item(std::uint32_t item) const {
  return item < items_.size() ? std::span<const ContextCounts>(items_[item])
                              : std::span<const ContextCounts>();
}

}  // namespace dcmrank
