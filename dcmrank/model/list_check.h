#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dcmrank/model/interaction.h"

namespace dcmrank {

/// Whether a list is K different items of L, for lists that others hand in. O(K) for each. One
/// thread at a time.
class ListCheck {
 public:
  ListCheck(std::size_t items, std::size_t positions) : positions_(positions), last_(items) {}

  /// From now on lists are of so many items.
  void resize(std::size_t items) { last_.resize(items); }

  bool is_valid(std::span<const Item> list) {
    ++round_;
    if (list.size() != positions_) return false;
    for (const Item e : list) {  // NOLINT(readability-use-anyofallof): it marks them
      if (e >= last_.size() || last_[e] == round_) return false;
      last_[e] = round_;
    }
    return true;
  }

  /// What is wrong with a list that is not valid: "has item 3 twice".
  std::string fault(std::span<const Item> list) const;

 private:
  std::size_t positions_;
  std::uint64_t round_ = 0;
  std::vector<std::uint64_t> last_;  // the round in which each item was listed; 0: in none
};

/// "has item 7; items are numbered from 0 to 3", also for numbers that no Item can be.
std::string item_fault(std::int64_t item, std::size_t items);

}  // namespace dcmrank
