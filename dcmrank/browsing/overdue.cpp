#include "dcmrank/browsing/overdue.h"

#include <cmath>
#include <numeric>

#include "dcmrank/numeric/cholesky.h"
#include "dcmrank/numeric/elementary.h"
#include "dcmrank/random/rng.h"

namespace dcmrank {
namespace {

constexpr std::uint64_t kPagesPerQuestion = 4;
constexpr double kLooksPerClick = 3;

// Below the first position, which is position 0 and has no scale.
void add_scale(std::size_t position, double sign, std::span<double> direction) {
  if (position > 0) direction[position - 1] += sign;
}

double along(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

}  // namespace

void OverdueComparison::ask(const BrowsingFit& fit, const PositionOrder& order, std::uint64_t pages,
                            std::uint64_t key, std::span<double> x) {
  if (x.empty()) return;
  Rng rng(key);
  if (rng.below(kPagesPerQuestion) != 0) return;
  const std::size_t n = 1 + rng.below(x.size());
  between_.assign(x.size(), 0);
  add_scale(order[n], 1, between_);
  add_scale(order[n - 1], -1, between_);
  follows_ = between_;
  solve_both(fit.root, follows_);
  const double variance = along(between_, follows_);
  const double nats = same_log(variance * static_cast<double>(pages) / kLooksPerClick);
  if (!(nats > 0)) return;  // so much is known
  const double bold = -std::sqrt(2 * nats * variance);
  const double missing = (bold - along(between_, x)) / variance;
  if (missing >= 0) return;
  for (std::size_t k = 0; k < x.size(); ++k) x[k] += missing * follows_[k];
}

}  // namespace dcmrank
