#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dcmrank/model/counts.h"
#include "dcmrank/model/interaction.h"

namespace dcmrank {

/// How often an item was shown, and clicked, at a position with the last click above it so far
/// away.
struct ContextCounts {
  std::uint32_t position = 0;  // from 0
  std::uint32_t distance = 0;  // 1: the position just above; 0: no click above, or not told apart
  Counts counts;

  bool operator==(const ContextCounts&) const = default;
};

/// The contexts that items were shown in: all that the PBM (by position) and the UBM (by the last
/// click too) need of a log. A monoid under add and merge; one thread at a time.
class ContextTable {
 public:
  /// Whether the last click is told apart.
  explicit ContextTable(bool last_click) : last_click_(last_click) {}

  /// Adds an impression of `items` (numbers).
  void add(std::span<const std::uint32_t> items, Clicks clicks);

  /// Adds the contexts of another log, whose items have other numbers.
  void merge(const ContextTable& other, std::span<const std::uint32_t> item_of);

  void add(std::uint32_t item, const ContextCounts& counts);

  /// The same without telling the last click apart.
  ContextTable by_position() const;
  bool last_click() const { return last_click_; }

  /// By increasing position and distance.
  std::span<const ContextCounts> of_item(std::uint32_t item) const;

 private:
  bool last_click_;
  std::vector<std::vector<ContextCounts>> items_;
};

}  // namespace dcmrank
