#include "dcmrank/index/kl_ucb.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dcmrank/index/kl_ucb-inl.h"
#include "dcmrank/numeric/elementary.h"

HWY_BEFORE_NAMESPACE();
namespace dcmrank::HWY_NAMESPACE {
namespace {

double kl_ucb_of_one(const Counts& counts, double budget) {
  constexpr hn::CappedTag<double, 1> d;
  return hn::GetLane(
      kl_ucb(d, hn::Set(d, counts.observed), hn::Set(d, counts.attracted), hn::Set(d, budget)));
}

}  // namespace
}  // namespace dcmrank::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

namespace dcmrank {
namespace {

// p log(p / q) with 0 log 0 = 0, written with log1p so that q close to p keeps its digits.
double kl_term(double p, double q) {
  if (p == 0) return 0;
  if (q == 0) return std::numeric_limits<double>::infinity();
  return -p * std::log1p((q - p) / p);
}

}  // namespace

double bernoulli_kl(double p, double q) { return kl_term(p, q) + kl_term(1 - p, 1 - q); }

double paper_budget(std::uint64_t t) {
  if (t <= 1) return 0;
  const double log_t = same_log(static_cast<double>(t));
  return std::max(0.0, log_t + 3 * same_log(log_t));
}

double kl_ucb(const Counts& counts, double budget) {
  return HWY_STATIC_DISPATCH(kl_ucb_of_one)(counts, budget);
}

}  // namespace dcmrank
