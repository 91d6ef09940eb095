#include "dcmrank/numeric/cholesky.h"

#include <cmath>
#include <utility>

namespace dcmrank {

namespace {

// x becomes L^-1 x; its entries before `first` are 0.
void solve_lower(std::span<const double> lower, std::span<double> x, std::size_t first) {
  const std::size_t n = x.size();
  for (std::size_t i = first; i < n; ++i) {
    double sum = x[i];
    for (std::size_t j = first; j < i; ++j) sum -= lower[i * n + j] * x[j];
    x[i] = sum / lower[i * n + i];
  }
}

}  // namespace

void solve_transposed(std::span<const double> lower, std::span<double> x) {
  const std::size_t n = x.size();
  for (std::size_t i = n; i-- > 0;) {
    double sum = x[i];
    for (std::size_t j = i + 1; j < n; ++j) sum -= lower[j * n + i] * x[j];
    x[i] = sum / lower[i * n + i];
  }
}

void solve_both(std::span<const double> lower, std::span<double> x) {
  solve_lower(lower, x, 0);
  solve_transposed(lower, x);
}

std::optional<Cholesky> Cholesky::of(std::vector<double> a, std::size_t n) {
  constexpr double kRounding = 1e-12;  // of what the diagonal was
  const bool positive = take_root(a, n, [](double left, double diagonal) {
    return left > kRounding * std::abs(diagonal) ? left : 0;
  });
  if (!positive) return std::nullopt;
  return Cholesky(std::move(a), n);
}

void Cholesky::solve(std::span<double> x) const { solve_both(lower_, x); }

// Columns of L^-1, squared: A^-1 = L^-T L^-1.
std::vector<double> Cholesky::inverse_diagonal() const {
  std::vector<double> diagonal(n_);
  std::vector<double> column(n_);
  for (std::size_t i = 0; i < n_; ++i) {
    column.assign(n_, 0);
    column[i] = 1;
    solve_lower(lower_, column, i);
    for (std::size_t j = i; j < n_; ++j) diagonal[i] += column[j] * column[j];
  }
  return diagonal;
}

}  // namespace dcmrank
