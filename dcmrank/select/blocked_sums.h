#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "dcmrank/select/sum_tree.h"

namespace dcmrank {

/// Numbers, none negative, that are found by their sums, as in a SumTree, when they are too many
/// for a tree in the cache: the tree is over sums of blocks.
class BlockedSums {
 public:
  /// `size` zeros.
  explicit BlockedSums(std::size_t size)
      : size_(size),
        values_((size + kBlock - 1) / kBlock * kBlock),
        blocks_(values_.size() / kBlock, 0.0) {}

  std::size_t size() const { return size_; }
  double operator[](std::size_t i) const { return values_[i]; }
  double sum() const { return blocks_.sum(1); }

  void set(std::size_t i, double value) {
    values_[i] = value;
    blocks_.set(i / kBlock, sum_of_block(i / kBlock));
  }

  /// values[i] = value(i), without allocation. O(n).
  template <class Value>
  void set_all(Value value) {
    for (std::size_t i = 0; i < size_; ++i) values_[i] = value(i);
    blocks_.set_all([this](std::size_t b) { return sum_of_block(b); });
  }

  /// at[i] becomes the first number whose sum with all before it exceeds masses[i], from 0 to
  /// sum(). By rounding it may be one that is 0, or size(). Several at once, since finding one
  /// mostly waits for memory. Changes `masses`.
  void find(std::span<double> masses, std::span<std::size_t> at) const {
    blocks_.find(masses, at);
    for (const std::size_t block : at) {
      __builtin_prefetch(&values_[std::min(block * kBlock, values_.size() - kBlock)]);
      __builtin_prefetch(&values_[std::min(block * kBlock, values_.size() - kBlock) + kBlock / 2]);
    }
    for (std::size_t i = 0; i < at.size(); ++i) {
      at[i] = std::min(at[i] * kBlock + find_in_block(at[i], masses[i]), size_);
    }
  }

 private:
  static constexpr std::size_t kBlock = 16;  // two lines of the cache

  double sum_of_block(std::size_t b) const {
    double sum = 0;
    for (const double value : block(b)) sum += value;
    return sum;
  }

  std::size_t find_in_block(std::size_t b, double mass) const {
    if (b >= blocks_.size()) return 0;
    double sum = 0;
    std::size_t before = 0;
    for (const double value : block(b)) {
      sum += value;
      before += sum <= mass ? 1 : 0;
    }
    return std::min(before, kBlock - 1);
  }

  std::span<const double> block(std::size_t b) const {
    return std::span(values_).subspan(b * kBlock, kBlock);
  }

  std::size_t size_;
  std::vector<double> values_;  // whole blocks
  SumTree blocks_;
};

}  // namespace dcmrank
