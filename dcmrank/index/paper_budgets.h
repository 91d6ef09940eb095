#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace dcmrank {

/// paper_budget(t) for rounds that come one after the other: computed ahead, many at a time.
class PaperBudgets {
 public:
  double operator()(std::uint64_t t) {
    if (t - first_ >= kAhead) fill(t);
    return ahead_[static_cast<std::size_t>(t - first_)];
  }

 private:
  static constexpr std::size_t kAhead = 64;

  void fill(std::uint64_t first);

  std::uint64_t first_ = 0 - std::uint64_t{kAhead};
  alignas(64) std::array<double, kAhead> ahead_{};
};

}  // namespace dcmrank
