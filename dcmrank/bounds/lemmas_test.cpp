// Lemmas 1 to 4 of the paper, on random vectors.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "dcmrank/model/dcm.h"
#include "dcmrank/random/rng.h"

namespace dcmrank {
namespace {

using Vector = std::vector<double>;
constexpr double kRounding = 1e-12;

double sum(const Vector& x) { return std::accumulate(x.begin(), x.end(), 0.0); }

Vector times(const Vector& x, const Vector& y) {
  Vector z(x.size());
  std::transform(x.begin(), x.end(), y.begin(), z.begin(), std::multiplies<>());
  return z;
}

Vector random_vector(Rng& rng, std::size_t size, double most = 1) {
  Vector x(size);
  for (double& value : x) value = most * rng.uniform();
  return x;
}

// Calls body(rng, K) many times, for K from 1 to 12.
void on_random_vectors(const std::function<void(Rng&, std::size_t)>& body) {
  Rng rng(1);
  for (int i = 0; i < 12000; ++i) body(rng, 1 + static_cast<std::size_t>(i) % 12);
}

TEST(Lemma1, BoundsTheDifferenceByTheSum) {
  on_random_vectors([](Rng& rng, std::size_t k) {
    const Vector x = random_vector(rng, k);
    const Vector y = times(x, random_vector(rng, k));  // x >= y
    EXPECT_LE(either(x) - either(y), sum(x) - sum(y) + kRounding);
  });
}

TEST(Lemma2, BoundsItFromBelowByAlphaTimesTheSum) {
  on_random_vectors([](Rng& rng, std::size_t k) {
    const double p_max = rng.uniform();
    const Vector x = random_vector(rng, k, p_max);
    const Vector y = times(x, random_vector(rng, k));
    const double alpha = std::pow(1 - p_max, static_cast<double>(k - 1));
    EXPECT_LE(alpha * (sum(x) - sum(y)), either(x) - either(y) + kRounding);
  });
}

TEST(Lemma3, BoundsTheLossOfAWrongOrder) {
  on_random_vectors([](Rng& rng, std::size_t k) {
    const Vector x = random_vector(rng, k);
    Vector sorted = x;
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    Vector c = random_vector(rng, k);
    std::sort(c.begin(), c.end(), std::greater<>());
    const double loss = either(times(c, sorted)) - either(times(c, x));
    EXPECT_GE(loss, -kRounding);
    EXPECT_LE(loss, sum(times(c, sorted)) - sum(times(c, x)) + kRounding);
  });
}

TEST(Lemma4, ScalesTheLowerBoundByGamma) {
  on_random_vectors([](Rng& rng, std::size_t k) {
    const double gamma = rng.uniform();
    const Vector x = random_vector(rng, k);
    const Vector y = times(x, random_vector(rng, k));
    const Vector scale(k, gamma);
    EXPECT_GE(either(times(scale, x)) - either(times(scale, y)),
              gamma * (either(x) - either(y)) - kRounding);
  });
}

}  // namespace
}  // namespace dcmrank
