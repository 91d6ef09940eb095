#include "dcmrank/em/elimination.h"

#include <span>

namespace dcmrank {
namespace {

void eliminate_diagonal(const QueryInformation& information, std::size_t free, Eliminated& result) {
  const std::size_t n = information.own.size();
  for (std::size_t i = 0; i < n; ++i) {
    result.variance[i] = information.own[i] > 0 ? 1 / information.own[i] : kNoVariance;
    for (std::size_t s = 0; s < free && information.own[i] > 0; ++s) {
      result.slope[i * free + s] = information.both[i * free + s] / information.own[i];
    }
  }
}

void eliminate_dense(const QueryInformation& information, std::size_t n, std::size_t free,
                     Eliminated& result) {
  const auto factor = Cholesky::of(information.own, n);
  if (!factor) return;
  result.variance = factor->inverse_diagonal();
  std::vector<double> column(n);
  for (std::size_t s = 0; s < free; ++s) {
    for (std::size_t i = 0; i < n; ++i) column[i] = information.both[i * free + s];
    factor->solve(column);
    for (std::size_t i = 0; i < n; ++i) result.slope[i * free + s] = column[i];
  }
}

}  // namespace

Eliminated eliminate(const QueryInformation& information, std::size_t n, std::size_t free) {
  Eliminated result{std::vector<double>(n, kNoVariance), std::vector<double>(n * free, 0),
                    information.shared};
  if (information.own.size() == n) {
    eliminate_diagonal(information, free, result);
  } else {
    eliminate_dense(information, n, free, result);
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t s = 0; s < free; ++s) {
      const double both = information.both[i * free + s];
      if (both == 0) continue;
      for (std::size_t t = 0; t < free; ++t) {
        result.shared[s * free + t] -= both * result.slope[i * free + t];
      }
    }
  }
  return result;
}

void add_shared_variance(const Cholesky& shared, std::size_t free,
                         const std::vector<double>& slopes, std::vector<double>& variances) {
  std::vector<double> row(free);
  for (std::size_t i = 0; i < variances.size(); ++i) {
    const auto slope = std::span(slopes).subspan(i * free, free);
    row.assign(slope.begin(), slope.end());
    shared.solve(row);
    for (std::size_t s = 0; s < free; ++s) variances[i] += slope[s] * row[s];
  }
}

}  // namespace dcmrank
