#include "dcmrank/browsing/draws.h"

#include <algorithm>
#include <cmath>

#include "dcmrank/numeric/elementary.h"

namespace dcmrank {
namespace {

// The polar method of Marsaglia.
double sample_normal(CounterRng& rng) {
  for (;;) {
    const double a = 2 * rng.inside() - 1;
    const double b = 2 * rng.inside() - 1;
    const double s = a * a + b * b;
    if (s < 1 && s > 0) return a * std::sqrt(-2 * same_log(s) / s);
  }
}

// A draw of an attraction is at most 1: others are drawn again, a few times.
double drawn_again(double a, double b, double examination, std::uint64_t key) {
  constexpr std::uint64_t kAgainKey = 3;
  CounterRng rng(subkey(key, kAgainKey));
  for (int n = 0; n < 20; ++n) {
    const double value = sample_beta(a, b, rng) / examination;
    if (value <= 1) return value;
  }
  return 1;
}

}  // namespace

// Hardly more than once while little was observed, 1.25 times at last. Fewer explorers, measured
// over worlds of all kinds (docs/policies.md). No posterior any more: at 1.5, or at 1.25 from the
// first look on, some runs never came back to a good item that was unlucky at first.
double sharpness(double observed) {
  constexpr double kMore = .25;
  constexpr double kHalfway = 100;  // looks
  return 1 + kMore * observed / (observed + kHalfway);
}

void draw_normals(std::uint64_t key, std::span<double> out) {
  CounterRng rng(key);
  for (double& z : out) z = sample_normal(rng);
}

double doubted(double attraction, std::span<const double> x, std::span<const double> shares) {
  double sum = 0;
  for (std::size_t k = 0; k < x.size(); ++k) sum += x[k] * shares[k];
  return attraction * same_exp(-sum);
}

void AttractionDraws::fill(std::span<const KnownItem> known) {
  batch_.size = known.size();
  for (std::size_t i = 0; i < known.size(); ++i) {
    const double skipped = known[i].observed / known[i].examination - known[i].attracted;
    const double times = sharpness(known[i].observed);
    batch_.a[i] = times * known[i].attracted + 1;
    batch_.b[i] = times * std::max(0.0, skipped) + 1;
  }
}

void AttractionDraws::operator()(std::span<const KnownItem> known, std::uint64_t key,
                                 std::span<Scored> scored) {
  for (std::size_t first = 0; first < known.size(); first += BetaBatch::kRoom) {
    const auto part = known.subspan(first, std::min(known.size() - first, BetaBatch::kRoom));
    fill(part);
    for (std::size_t i = 0; i < part.size(); ++i) batch_.key[i] = subkey(key, first + i);
    sample_betas(batch_);
    for (std::size_t i = 0; i < part.size(); ++i) {
      const double examination = part[i].examination;
      double value = batch_.draw[i] / examination;
      if (value > 1) value = drawn_again(batch_.a[i], batch_.b[i], examination, batch_.key[i]);
      scored[first + i] = {value, static_cast<Item>(first + i)};
    }
  }
}

}  // namespace dcmrank
