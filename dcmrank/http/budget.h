#pragma once

#include <atomic>
#include <cstddef>

namespace dcmrank::service {

/// Bytes that all connections may hold together. Any thread.
class ByteBudget {
 public:
  explicit ByteBudget(std::size_t most) : left_(most) {}

  /// Whether so much was left.
  bool take(std::size_t bytes) {
    std::size_t left = left_.load(std::memory_order_relaxed);
    while (bytes <= left) {
      if (left_.compare_exchange_weak(left, left - bytes, std::memory_order_relaxed)) return true;
    }
    return false;
  }
  void give(std::size_t bytes) { left_.fetch_add(bytes, std::memory_order_relaxed); }

 private:
  std::atomic<std::size_t> left_;
};

/// A share of a budget, given back when it ends.
class BudgetShare {
 public:
  explicit BudgetShare(ByteBudget& budget) : budget_(&budget) {}
  ~BudgetShare() { clear(); }
  BudgetShare(const BudgetShare&) = delete;
  BudgetShare& operator=(const BudgetShare&) = delete;
  BudgetShare(BudgetShare&&) = delete;
  BudgetShare& operator=(BudgetShare&&) = delete;

  /// Whether the share is at least so large now.
  bool reach(std::size_t bytes) {
    if (bytes <= taken_) return true;
    if (!budget_->take(bytes - taken_)) return false;
    taken_ = bytes;
    return true;
  }
  void clear() {
    if (taken_ > 0) budget_->give(taken_);
    taken_ = 0;
  }

 private:
  ByteBudget* budget_;
  std::size_t taken_ = 0;
};

}  // namespace dcmrank::service
