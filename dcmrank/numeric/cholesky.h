#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace dcmrank {

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
  double at(std::size_t i, std::size_t j) const { return lower_[i * n_ + j]; }
  void solve_lower(std::span<double> x, std::size_t first) const;

  std::vector<double> lower_;
  std::size_t n_;
};

}  // namespace dcmrank
