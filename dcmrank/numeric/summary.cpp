#include "dcmrank/numeric/summary.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include <fmt/format.h>

namespace dcmrank {

bool Summary::has_error() const { return !std::isnan(stderr_); }

Summary summarise(std::span<const double> values) {
  if (values.empty()) return {};
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  if (values.size() == 1) return {mean, std::numeric_limits<double>::quiet_NaN()};
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, std::sqrt(squares / (n - 1) / n)};
}

std::string text(const Summary& value) { return text(value, std::abs(value.mean) < 10 ? 2 : 1); }

std::string text(const Summary& value, int digits) {
  constexpr int kMostDigits = 6;
  if (!std::isfinite(value.mean)) return "-";
  if (!value.has_error()) return fmt::format("{:.{}f}", value.mean, digits);
  while (value.stderr_ > 0 && value.stderr_ < 0.5 * std::pow(10, -digits) && digits < kMostDigits) {
    ++digits;
  }
  return fmt::format("{:.{}f} ± {:.{}f}", value.mean, digits, value.stderr_, digits);
}

std::string text_by_error(const Summary& value) {
  if (!std::isfinite(value.mean) || !value.has_error() || !(value.stderr_ > 0)) return text(value);
  constexpr int kMostDigits = 6;
  const int digits = 1 - static_cast<int>(std::floor(std::log10(value.stderr_)));
  const int shown = std::clamp(digits, 0, kMostDigits);
  return fmt::format("{:.{}f} ± {:.{}f}", value.mean, shown, value.stderr_, shown);
}

Summary paired_difference(std::span<const double> a, std::span<const double> b) {
  assert(a.size() == b.size());
  std::vector<double> differences(a.size());
  for (std::size_t r = 0; r < a.size(); ++r) differences[r] = a[r] - b[r];
  return summarise(differences);
}

Summary paired_ratio(std::span<const double> a, std::span<const double> b) {
  assert(a.size() == b.size());
  const double below = summarise(b).mean;
  const double ratio = summarise(a).mean / below;
  std::vector<double> residuals(a.size());
  for (std::size_t r = 0; r < a.size(); ++r) residuals[r] = a[r] - ratio * b[r];
  return {ratio, summarise(residuals).stderr_ / std::abs(below)};
}

Summary jackknife(std::size_t n, const std::function<double(std::size_t)>& estimate) {
  std::vector<double> without(n);
  for (std::size_t r = 0; r < n; ++r) without[r] = estimate(r);
  // The estimates lie n - 1 times closer together than independent ones would.
  return {estimate(n), static_cast<double>(n - 1) * summarise(without).stderr_};
}

}  // namespace dcmrank
