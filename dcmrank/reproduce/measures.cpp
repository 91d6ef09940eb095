#include "dcmrank/reproduce/measures.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace dcmrank {

namespace {

constexpr int kMostDigits = 6;

// With as many digits as it takes to see that they differ.
std::string inequality(double a, const char* sign, double b) {
  int digits = 0;
  while (digits < kMostDigits &&
         fmt::format("{:.{}f}", a, digits) == fmt::format("{:.{}f}", b, digits)) {
    ++digits;
  }
  return fmt::format("{:.{}f} {} {:.{}f}", a, digits, sign, b, digits);
}

}  // namespace

Summary difference(const PolicyResult& a, const PolicyResult& b) {
  return paired_difference(a.regret_per_run, b.regret_per_run);
}

Summary ratio(const PolicyResult& a, const PolicyResult& b) {
  return paired_ratio(a.regret_per_run, b.regret_per_run);
}

Summary growth_since(std::uint64_t step, const PolicyResult& result) {
  const auto& steps = result.curve_steps;
  const auto at = std::lower_bound(steps.begin(), steps.end(), step);
  return paired_ratio(result.regret_per_run,
                      result.curve_per_run.at(static_cast<std::size_t>(at - steps.begin())));
}

std::string compared(const PolicyResult& a, const PolicyResult& b) {
  const Summary rise = difference(b, a);
  const std::string by = text(rise, 0);
  if (rise.mean > 2 * rise.stderr_) {
    return fmt::format("{} (by {})", inequality(a.regret.mean, "<", b.regret.mean), by);
  }
  if (-rise.mean > 2 * rise.stderr_) {
    return fmt::format("{} (by {})", inequality(a.regret.mean, ">", b.regret.mean), by);
  }
  return fmt::format("{:.0f} ≈ {:.0f} (by {})", a.regret.mean, b.regret.mean, by);
}

Line fit_line(std::span<const double> x, std::span<const double> y) {
  const auto n = static_cast<double>(x.size());
  const double mean_x = std::accumulate(x.begin(), x.end(), 0.0) / n;
  const double mean_y = std::accumulate(y.begin(), y.end(), 0.0) / n;
  double xx = 0;
  double xy = 0;
  double yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
  }
  const double slope = xy / xx;
  return {mean_y - slope * mean_x, slope, yy > 0 ? xy * xy / (xx * yy) : 1};
}

}  // namespace dcmrank
