#include "dcmrank/index/kl_ucb_batch.h"

#include <limits>

#undef HWY_TARGET_INCLUDE
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage)
#define HWY_TARGET_INCLUDE "dcmrank/index/kl_ucb_batch.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include "dcmrank/index/kl_ucb-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dcmrank::HWY_NAMESPACE {
namespace {

using Wide = hn::CappedTag<double, KlUcbBatch::kRoom>;

void find_indices(KlUcbBatch& batch) {
  const Wide d;
  for (std::size_t i = 0; i < batch.size; i += hn::Lanes(d)) {
    const auto q = kl_ucb(d, hn::Load(d, &batch.observed[i]), hn::Load(d, &batch.attracted[i]),
                          hn::Load(d, &batch.budget[i]));
    hn::Store(q, d, &batch.q[i]);
  }
}

// What is known of T D(mean || q) = S log(mean / q) + F log((1 - mean) / (1 - q)) at one q.
template <class V>
struct Point {
  V q, log_q, log_rest;
  V reached;    // its value
  V slope;      // of its inverse
  V curvature;  // second derivative over first
  V error;      // of the value, times slope
};

template <class V>
struct Problem {
  V attracted, failed;
  V entropy;  // S log(mean) + F log(1 - mean)
};

template <class D, class V = hn::Vec<D>>
HWY_INLINE Point<V> look(D d, const Problem<V>& p, V q, V log_q, V log_rest) {
  const V one = hn::Set(d, 1.0);
  const V by_q = hn::Div(one, q);
  const V by_rest = hn::Div(one, hn::Sub(one, q));
  const V s = hn::Mul(p.attracted, log_q);
  const V f = hn::Mul(p.failed, log_rest);
  const V ds = hn::Mul(p.attracted, by_q);
  const V df = hn::Mul(p.failed, by_rest);
  const V derivative = hn::Sub(df, ds);
  const V slope = hn::Div(one, derivative);
  const V second = hn::Add(hn::Mul(ds, by_q), hn::Mul(df, by_rest));
  // Every term is right to a few units in the last place of what it is made of.
  const V terms = hn::Sub(hn::Sub(hn::Add(p.attracted, p.failed), p.entropy), hn::Add(s, f));
  const V error = hn::Mul(hn::Mul(hn::Set(d, 0x1p-49), terms), slope);
  const auto good =
      hn::And(hn::Gt(derivative, hn::Zero(d)), hn::And(hn::Gt(q, hn::Zero(d)), hn::Lt(q, one)));
  const V infinite = hn::Set(d, std::numeric_limits<double>::infinity());
  return {q,
          log_q,
          log_rest,
          hn::Sub(p.entropy, hn::Add(s, f)),
          slope,
          hn::Mul(second, slope),
          hn::IfThenElse(good, error, infinite)};
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE Point<V> approach(D d, const Problem<V>& p, V budget, V q, V log_q, V log_rest) {
  constexpr int kMostSteps = 3;
  const V one = hn::Set(d, 1.0);
  const V infinite = hn::Set(d, std::numeric_limits<double>::infinity());
  Point<V> at = look(d, p, q, log_q, log_rest);
  for (int n = 0;; ++n) {
    const V miss = hn::Mul(hn::Sub(budget, at.reached), at.slope);
    const V gap = hn::Mul(at.curvature, hn::Mul(miss, miss));
    const auto good = hn::And(hn::Lt(gap, hn::Set(d, 1e-9)), hn::Lt(at.error, infinite));
    if (n == kMostSteps || hn::AllTrue(d, good)) {
      at.error = hn::IfThenElse(good, at.error, infinite);
      return at;
    }
    // The tangent is above the index: so is where it leads.
    const V next = hn::Add(at.q, miss);
    const auto inside = hn::And(hn::Lt(next, one), hn::Gt(next, hn::Zero(d)));
    const V there = hn::IfThenElse(inside, next, hn::Set(d, 0.5));
    at = look(d, p, there, log(d, there), log(d, hn::Sub(one, there)));
    at.error = hn::IfThenElse(inside, at.error, infinite);
  }
}

template <class D>
HWY_INLINE void approach_indices_by(D d, KlUcbBatch& batch) {
  using V = hn::Vec<D>;
  const V tiny = hn::Set(d, std::numeric_limits<double>::min());
  for (std::size_t i = 0; i < batch.size; i += hn::Lanes(d)) {
    const V observed = hn::Load(d, &batch.observed[i]);
    const V attracted = hn::Load(d, &batch.attracted[i]);
    const V budget = hn::Load(d, &batch.budget[i]);
    const V failed = hn::Sub(observed, attracted);
    const V log_mean = log(d, hn::Max(hn::Div(attracted, observed), tiny));
    const V log_failed = log(d, hn::Max(hn::Div(failed, observed), tiny));
    const Problem<V> problem{attracted, failed,
                             hn::Add(hn::Mul(attracted, log_mean), hn::Mul(failed, log_failed))};
    const auto at = approach(d, problem, budget, hn::Load(d, &batch.q[i]),
                             hn::Load(d, &batch.log_q[i]), hn::Load(d, &batch.log_rest[i]));
    hn::Store(at.q, d, &batch.q[i]);
    hn::Store(at.log_q, d, &batch.log_q[i]);
    hn::Store(at.log_rest, d, &batch.log_rest[i]);
    hn::Store(log_mean, d, &batch.log_mean[i]);
    hn::Store(log_failed, d, &batch.log_failed[i]);
    // Also where something is no number.
    const auto moves = hn::And(hn::Gt(budget, hn::Zero(d)), hn::Lt(attracted, observed));
    const V infinite = hn::Set(d, std::numeric_limits<double>::infinity());
    hn::Store(hn::IfThenElse(moves, at.error, infinite), d, &batch.error[i]);
  }
}

// The few items of one list do not fill the widest vectors, which are no faster than narrow ones.
void approach_indices(KlUcbBatch& batch) {
  if (batch.size <= 4) {  // NOLINT(bugprone-branch-clone): the same where vectors are narrow
    approach_indices_by(hn::CappedTag<double, 4>(), batch);
  } else {
    approach_indices_by(Wide(), batch);
  }
}

}  // namespace
}  // namespace dcmrank::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dcmrank {

HWY_EXPORT(find_indices);
HWY_EXPORT(approach_indices);

void find_indices(KlUcbBatch& batch) { HWY_DYNAMIC_DISPATCH(find_indices)(batch); }
void approach_indices(KlUcbBatch& batch) { HWY_DYNAMIC_DISPATCH(approach_indices)(batch); }

}  // namespace dcmrank
#endif
