#include "dcmrank/sim/statistics.h"

#include <cmath>
#include <numeric>

namespace dcmrank {

Summary summarise(std::span<const double> values) {
  if (values.empty()) return {};
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  if (values.size() == 1) return {mean, 0};
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, std::sqrt(squares / (n - 1) / n)};
}

}  // namespace dcmrank
