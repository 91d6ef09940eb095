#include "dcmrank/reproduce/measures.h"

#include <cmath>
#include <numeric>

#include <fmt/format.h>

namespace dcmrank {

std::string text(const Summary& value) {
  const int digits = std::abs(value.mean) < 10 ? 2 : 1;
  return fmt::format("{:.{}f} ± {:.{}f}", value.mean, digits, value.stderr_, digits);
}

Summary ratio(const Summary& a, const Summary& b) {
  const double mean = a.mean / b.mean;
  return {mean, std::abs(mean) * std::hypot(a.stderr_ / a.mean, b.stderr_ / b.mean)};
}

bool clearly_below(const Summary& a, const Summary& b) {
  return b.mean - a.mean > 2 * std::hypot(a.stderr_, b.stderr_);
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
