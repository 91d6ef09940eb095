#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace dcmrank::traffic {

/// How long calls took, to 4 %: a bucket is 2^(1/16) wide; the longest exactly. Monoid under merge;
/// bounded, however many calls there were.
class Latencies {
 public:
  void add(std::chrono::steady_clock::duration took) {
    const double us = std::chrono::duration<double, std::micro>(took).count();
    const double bucket = std::floor(kPerOctave * std::log2(std::max(us, 1.0)));
    ++counts_[std::min(static_cast<std::size_t>(bucket), counts_.size() - 1)];
    ++total_;
    longest_ = std::max(longest_, us / 1000);
  }

  void merge(const Latencies& other) {
    for (std::size_t n = 0; n < counts_.size(); ++n) counts_[n] += other.counts_[n];
    total_ += other.total_;
    longest_ = std::max(longest_, other.longest_);
  }

  std::uint64_t count() const { return total_; }

  /// Milliseconds, of the call that took longest.
  double longest() const { return longest_; }

  /// Milliseconds within which that share of the calls was answered.
  double quantile(double share) const {
    auto left = static_cast<std::int64_t>(std::ceil(share * static_cast<double>(total_)));
    std::size_t n = 0;
    while (n + 1 < counts_.size() && (left -= static_cast<std::int64_t>(counts_[n])) > 0) ++n;
    return std::min(longest_, std::exp2((static_cast<double>(n) + 1) / kPerOctave) / 1000);
  }

 private:
  static constexpr double kPerOctave = 16;
  std::array<std::uint64_t, 448> counts_{};  // up to 2^28 us
  std::uint64_t total_ = 0;
  double longest_ = 0;
};

}  // namespace dcmrank::traffic
