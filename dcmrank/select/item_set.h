#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dcmrank/model/interaction.h"

namespace dcmrank {

/// A set of items that finds its n-th smallest. Few items are a sorted array; many are one bit
/// each, with a count per block of bits. Either way no operation moves more than a few kilobytes.
class ItemSet {
 public:
  std::size_t size() const { return size_; }

  /// e, below `items`, is not in the set.
  void insert(Item e, std::size_t items);
  /// e is in the set.
  void erase(Item e);
  /// How many items are less than e.
  std::size_t rank(Item e) const;
  /// The n-th smallest, n < size(), counted from 0.
  Item nth(std::size_t n) const;

 private:
  static constexpr std::size_t kWord = 64;
  static constexpr std::size_t kBlock = 64 * kWord;

  static std::size_t most_sorted(std::size_t items);
  bool is_sorted() const { return blocks_.empty(); }
  void to_bits(std::size_t items);
  void to_sorted();

  std::size_t size_ = 0;
  std::vector<Item> sorted_;
  std::vector<std::uint64_t> words_;
  std::vector<std::uint32_t> blocks_;  // how many in each block of words
};

}  // namespace dcmrank
