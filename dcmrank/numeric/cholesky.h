#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace dcmrank {

/// Makes a symmetric matrix of n rows of n numbers, of which those above the diagonal are not
/// looked at, its Cholesky factor. `pivot(left, diagonal)` gives what to take the root of, from
/// what is left of a number on the diagonal; where that is not above 0, ends and returns false.
template <class Pivot>
bool take_root(std::span<double> a, std::size_t n, Pivot pivot) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double left = a[i * n + j];
      for (std::size_t k = 0; k < j; ++k) left -= a[i * n + k] * a[j * n + k];
      if (j < i) {
        a[i * n + j] = left / a[j * n + j];
        continue;
      }
      const double square = pivot(left, a[i * n + i]);
      if (!(square > 0)) return false;
      a[i * n + i] = std::sqrt(square);
    }
  }
  return true;
}

/// x becomes L'^-1 x.
void solve_transposed(std::span<const double> lower, std::span<double> x);

/// x becomes (L L')^-1 x.
void solve_both(std::span<const double> lower, std::span<double> x);

/// The Cholesky factor of a symmetric, positive definite matrix: A = L L'.
class Cholesky {
 public:
  /// `a` has n rows of n numbers, of which those above the diagonal are not looked at. Nothing
  /// where it is not positive definite.
  static std::optional<Cholesky> of(std::vector<double> a, std::size_t n);

  /// x becomes A^-1 x.
  void solve(std::span<double> x) const;

  /// The diagonal of A^-1.
  std::vector<double> inverse_diagonal() const;

 private:
  Cholesky(std::vector<double> lower, std::size_t n) : lower_(std::move(lower)), n_(n) {}

  std::vector<double> lower_;
  std::size_t n_;
};

}  // namespace dcmrank
