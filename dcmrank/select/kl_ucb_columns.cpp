#include "dcmrank/select/kl_ucb_columns.h"

#undef HWY_TARGET_INCLUDE
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage)
#define HWY_TARGET_INCLUDE "dcmrank/select/kl_ucb_columns.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace dcmrank::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Four = hn::CappedTag<double, KlUcbColumns::kQuad>;
using V = hn::Vec<Four>;

// One number of each item of a vector, which may lie anywhere. Number by number: what was stored as
// two numbers a moment ago is slow to load as one vector.
HWY_INLINE V load(Four d, const Counts* counts, const Item* items, double Counts::*number) {
#if HWY_TARGET == HWY_SCALAR
  return hn::Set(d, counts[items[0]].*number);
#else
  const hn::FixedTag<double, 2> two;
  const auto at = [&](int i) { return hn::Set(two, counts[items[i]].*number); };
#if HWY_MAX_BYTES == 16
  (void)d;
  return hn::InterleaveLower(two, at(0), at(1));
#else
  return hn::Combine(d, hn::InterleaveLower(two, at(2), at(3)),
                     hn::InterleaveLower(two, at(0), at(1)));
#endif
#endif
}

// KlUcbPlane's upper bound and lower_bound(), from column i of a quad.
HWY_INLINE void find_bounds(Four d, const KlUcbColumns::Quad& quad, std::size_t i, V clock,
                            V observed, V attracted, V& upper, V& lower) {
  const auto column = [&](const KlUcbColumns::Column& c) { return hn::Load(d, &c[i]); };
  const V by_observed = hn::Div(hn::Set(d, 1.0), observed);
  const V mean = hn::Mul(attracted, by_observed);
  const V shift = hn::Sub(mean, column(quad.mean));
  const V budget = hn::Mul(by_observed, hn::Add(clock, column(quad.ahead)));
  upper = hn::Add(hn::Add(column(quad.base), hn::Mul(column(quad.by_mean), mean)),
                  hn::Mul(column(quad.by_budget), budget));
  const V near_sway = hn::Mul(column(quad.sway), hn::Mul(shift, shift));
  const auto is_near = hn::Le(hn::Abs(shift), column(quad.mean_reach));
  const V sway = hn::IfThenElse(is_near, near_sway, hn::Set(d, KlUcbPlane::kTooFar));
  const V move = hn::Abs(hn::Sub(hn::Sub(upper, column(quad.q)), shift));
  const V drift = hn::Add(hn::Mul(hn::Set(d, KlUcbPlane::kDriftOfMove), move),
                          hn::Mul(hn::Set(d, KlUcbPlane::kDriftOfSway), sway));
  const V bend = hn::Mul(hn::Set(d, KlUcbPlane::kMissedByBend), column(quad.bend));
  const V missed = hn::Add(hn::Mul(hn::Set(d, KlUcbPlane::kMissedBySway), sway),
                           hn::Mul(bend, hn::Mul(drift, drift)));
  const V known = hn::Sub(hn::Sub(upper, hn::Set(d, 2 * KlUcbPlane::kMargin)), missed);
  lower = hn::IfThenElse(hn::Le(drift, column(quad.reach)), known, hn::Set(d, -1.0));
}

// `items` and the results have room for whole quads.
void find_all_bounds(const KlUcbColumns::Quad* quads, std::size_t count, double clock,
                     const Counts* counts, const Item* items, double* uppers, double* lowers) {
  const Four d;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const V observed = load(d, counts, items + i, &Counts::observed);
    const V attracted = load(d, counts, items + i, &Counts::attracted);
    V upper;
    V lower;
    find_bounds(d, quads[i / KlUcbColumns::kQuad], i % KlUcbColumns::kQuad, hn::Set(d, clock),
                observed, attracted, upper, lower);
    hn::StoreU(upper, d, uppers + i);
    hn::StoreU(lower, d, lowers + i);
  }
}

}  // namespace
}  // namespace dcmrank::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dcmrank {

HWY_EXPORT(find_all_bounds);

void KlUcbColumns::put(std::size_t i, Item item, const KlUcbPlane& plane) {
  items_[i] = item;
  Quad& quad = quads_[i / kQuad];
  const std::size_t n = i % kQuad;
  quad.base[n] = plane.base;
  quad.by_mean[n] = plane.by_mean;
  quad.by_budget[n] = plane.by_budget;
  quad.q[n] = plane.q;
  quad.mean[n] = plane.mean;
  quad.sway[n] = plane.sway;
  quad.mean_reach[n] = plane.mean_reach;
  quad.bend[n] = plane.bend;
  quad.reach[n] = plane.reach;
}

bool KlUcbColumns::are_in_order(double clock, const Counts* counts, double rest) {
  HWY_DYNAMIC_DISPATCH(find_all_bounds)
  (quads_.data(), size_, clock, counts, items_.data(), upper_.data(), lower_.data());
  upper_[size_] = rest;
  bool certain = true;
  for (std::size_t i = 0; i < size_; ++i) certain &= lower_[i] > upper_[i + 1];
  return certain;
}

}  // namespace dcmrank
#endif
