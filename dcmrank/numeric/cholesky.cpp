#include "dcmrank/numeric/cholesky.h"

#include <cmath>

namespace dcmrank {

std::optional<Cholesky> Cholesky::of(std::vector<double> a, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    double* row = a.data() + i * n;
    for (std::size_t j = 0; j <= i; ++j) {
      const double* other = a.data() + j * n;
      double sum = row[j];
      for (std::size_t k = 0; k < j; ++k) sum -= row[k] * other[k];
      if (j < i) {
        row[j] = sum / other[j];
      } else if (sum > 1e-12 * std::abs(row[i])) {  // of what the diagonal was
        row[i] = std::sqrt(sum);
      } else {
        return std::nullopt;  // or not a number
      }
    }
  }
  return Cholesky(std::move(a), n);
}

// x becomes L^-1 x; its entries before `first` are 0.
void Cholesky::solve_lower(std::span<double> x, std::size_t first) const {
  for (std::size_t i = first; i < n_; ++i) {
    double sum = x[i];
    for (std::size_t j = first; j < i; ++j) sum -= at(i, j) * x[j];
    x[i] = sum / at(i, i);
  }
}

void Cholesky::solve(std::span<double> x) const {
  solve_lower(x, 0);
  for (std::size_t i = n_; i-- > 0;) {
    double sum = x[i];
    for (std::size_t j = i + 1; j < n_; ++j) sum -= at(j, i) * x[j];
    x[i] = sum / at(i, i);
  }
}

// Columns of L^-1, squared: A^-1 = L^-T L^-1.
std::vector<double> Cholesky::inverse_diagonal() const {
  std::vector<double> diagonal(n_);
  std::vector<double> column(n_);
  for (std::size_t i = 0; i < n_; ++i) {
    column.assign(n_, 0);
    column[i] = 1;
    solve_lower(column, i);
    for (std::size_t j = i; j < n_; ++j) diagonal[i] += column[j] * column[j];
  }
  return diagonal;
}

}  // namespace dcmrank
