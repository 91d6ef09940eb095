#pragma once

#include <bit>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace dcmrank {

/// Numbers whose sums over halves, quarters, ... are kept: a change costs O(log n). Node 1 has the
/// sum of all; node m those of nodes 2 m and 2 m + 1, the first half and the second.
class SumTree {
 public:
  explicit SumTree(std::vector<double> values)
      : values_(std::move(values)), leaves_(std::bit_ceil(values_.size())), sums_(2 * leaves_) {
    add_up();
  }
  SumTree(std::size_t size, double value) : SumTree(std::vector<double>(size, value)) {}

  std::size_t size() const { return values_.size(); }
  std::size_t leaves() const { return leaves_; }
  double operator[](std::size_t i) const { return values_[i]; }
  const std::vector<double>& values() const { return values_; }
  double sum(std::size_t node) const { return sums_[node]; }

  void set(std::size_t i, double value) {
    values_[i] = value;
    std::size_t node = leaves_ + i;
    sums_[node] = value;
    while ((node /= 2) > 0) sums_[node] = sums_[2 * node] + sums_[2 * node + 1];
  }

  /// values[i] = value(i), without allocation. O(n).
  template <class Value>
  void set_all(Value value) {
    for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = value(i);
    add_up();
  }

  /// `at` becomes the first number whose sum with those before it exceeds the mass, from 0 to
  /// sum(1), and the mass becomes the part of it within that number. By rounding, `at` may even be
  /// beyond size(). Several at once, since each step down waits for memory.
  void find(std::span<double> masses, std::span<std::size_t> at) const {
    for (std::size_t& node : at) node = 1;
    for (std::size_t width = leaves_; width > 1; width /= 2) {
      for (std::size_t i = 0; i < masses.size(); ++i) {
        const double first = sums_[2 * at[i]];
        const bool second = masses[i] >= first;
        masses[i] -= second ? first : 0;
        at[i] = 2 * at[i] + (second ? 1 : 0);
      }
    }
    for (std::size_t& node : at) node -= leaves_;
  }

  void divide(double by) {
    for (double& value : values_) value /= by;
    add_up();
  }

 private:
  void add_up() {
    for (std::size_t i = 0; i < values_.size(); ++i) sums_[leaves_ + i] = values_[i];
    for (std::size_t node = leaves_ - 1; node > 0; --node) {
      sums_[node] = sums_[2 * node] + sums_[2 * node + 1];
    }
  }

  std::vector<double> values_;
  std::size_t leaves_;
  std::vector<double> sums_;  // from leaves_ on, the values
};

}  // namespace dcmrank
