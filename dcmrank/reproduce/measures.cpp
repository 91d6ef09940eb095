#include "dcmrank/reproduce/measures.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

#include <fmt/format.h>

#include "dcmrank/base/text.h"

namespace dcmrank {

namespace {

constexpr int kMostDigits = 6;

// As it is printed.
double rounded(double value, int digits) {
  return parse_double(fmt::format("{:.{}f}", value, digits)).value_or(value);
}

// With as many digits as it takes to see the difference in them: that they differ, where `sign`
// says so, and by how much.
int digits_of(double a, const char* sign, double b, double rise) {
  const bool differ = std::string_view(sign) != "≈";
  for (int digits = 0; digits < kMostDigits; ++digits) {
    const double shown = rounded(b, digits) - rounded(a, digits);
    const double half = std::pow(10, -digits) / 2;
    if (differ && std::abs(shown) < half) continue;
    if (std::abs(shown - rounded(rise, digits)) < half) return digits;
  }
  return kMostDigits;
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
  const char* sign = rise.mean > 2 * rise.stderr_ ? "<" : -rise.mean > 2 * rise.stderr_ ? ">" : "≈";
  const int digits = digits_of(a.regret.mean, sign, b.regret.mean, rise.mean);
  return fmt::format("{:.{}f} {} {:.{}f} (by {})", a.regret.mean, digits, sign, b.regret.mean,
                     digits, text(rise, digits));
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
