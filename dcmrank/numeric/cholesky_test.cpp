#include "dcmrank/numeric/cholesky.h"

#include <gtest/gtest.h>

namespace dcmrank {
namespace {

TEST(Cholesky, SolvesAndInverts) {
  const std::vector<double> a{4, 0, 0, 2, 5, 0, 1, 3, 6};  // the lower half
  const auto factor = Cholesky::of(a, 3);
  ASSERT_TRUE(factor);
  std::vector<double> x{4 + 2 * 2 + 3, 2 + 5 * 2 + 3 * 3, 1 + 3 * 2 + 6 * 3};  // A (1, 2, 3)'
  factor->solve(x);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(x[i], static_cast<double>(i) + 1, 1e-12);
  const auto diagonal = factor->inverse_diagonal();
  for (std::size_t i = 0; i < 3; ++i) {
    std::vector<double> unit(3, 0.0);
    unit[i] = 1;
    factor->solve(unit);
    EXPECT_NEAR(diagonal[i], unit[i], 1e-12);
  }
}

TEST(Cholesky, RefusesWhatIsNotPositiveDefinite) {
  EXPECT_FALSE(Cholesky::of({1, 0, 2, 1}, 2));
  EXPECT_FALSE(Cholesky::of({1, 0, 1, 1}, 2));
  EXPECT_FALSE(Cholesky::of({0}, 1));
}

}  // namespace
}  // namespace dcmrank
