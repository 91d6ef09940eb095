// The KL-UCB index, Eq. (1), on vectors, for the instruction set that is being compiled (see
// numeric/elementary-inl.h: every instruction set gives the same bits).
#if defined(DCMRANK_INDEX_KL_UCB_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DCMRANK_INDEX_KL_UCB_INL_H_
#undef DCMRANK_INDEX_KL_UCB_INL_H_
#else
#define DCMRANK_INDEX_KL_UCB_INL_H_
#endif

#include "dcmrank/numeric/elementary-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dcmrank::HWY_NAMESPACE {

// Where to begin the search of kl_ucb_inside: u and s. Away from q = 1, the variance between m and
// q taken at a third of the way makes D a quadratic, u^2 = 2 delta (m + u/3) (1 - m - u/3), right
// to the third order. Near q = 1, D >= m log m + (1 - m) s is tight.
template <class D, class V = hn::Vec<D>>
HWY_INLINE void kl_ucb_start(D d, V m, V rest, V delta, V& u, V& s) {
  const V one = hn::Set(d, 1.0);
  const V third = hn::Mul(delta, hn::Set(d, 1.0 / 3));
  const V a = hn::Add(one, hn::Mul(delta, hn::Set(d, 2.0 / 9)));
  const V b = hn::Mul(third, hn::Sub(rest, m));
  const V c = hn::Mul(hn::Add(delta, delta), hn::Mul(m, rest));
  const V near = hn::Div(hn::Add(b, hn::Sqrt(hn::Add(hn::Mul(b, b), hn::Mul(a, c)))), a);
  const V part = hn::Div(near, rest);
  const auto far = hn::Gt(part, hn::Set(d, 0.75));
  u = near;
  s = hn::Neg(log1p(d, hn::Neg(hn::IfThenElse(far, hn::Set(d, 0.5), part))));
  if (hn::AllFalse(d, far)) return;
  const V s_far = hn::Div(hn::Sub(delta, hn::Mul(m, log(d, m))), rest);
  const V u_far = hn::Neg(hn::Mul(rest, expm1(d, hn::Neg(s_far))));
  s = hn::IfThenElse(far, s_far, s);
  u = hn::IfThenElse(far, u_far, u);
}

// The root q of D(m || q) = delta, 0 < m < 1, delta > 0. With 1 - q = (1 - m) exp(-s) and u = q -
// m, D = (1 - m) s - m log1p(u / m): increasing and convex in s, nearly linear where q is close to
// 1 and without cancellation where q is close to m. Householder's method of the fourth order, two
// steps nearly always; each element stops by itself, so that its result does not depend on its
// neighbours.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V kl_ucb_inside(D d, V m, V delta) {
  constexpr int kMostSteps = 60;
  const V one = hn::Set(d, 1.0);
  const V half = hn::Set(d, 0.5);
  const V rest = hn::Sub(one, m);
  const V by_m = hn::Div(one, m);
  V u;
  V s;
  kl_ucb_start(d, m, rest, delta, u, s);
  V result = hn::Zero(d);
  auto done = hn::Lt(one, hn::Zero(d));
  for (int n = 0;; ++n) {
    const V q = hn::Add(m, u);
    const V ratio = hn::Mul(u, by_m);
    const V excess = hn::Sub(hn::Sub(hn::Mul(rest, s), hn::Mul(m, log1p(d, ratio))), delta);
    const V left = hn::Sub(rest, u);  // 1 - q
    const V by_u = hn::Div(one, u);
    const V newton = hn::Mul(hn::Mul(excess, q), by_u);
    // bend = newton / 2 times the second derivative over the first, (1 - q) m / (q u); twist, of
    // the third, which is -(1 + 2 (1 - q) / q) times the second.
    const V by_q = hn::Div(one, q);
    const V bend = hn::Mul(hn::Mul(hn::Mul(half, newton), left), hn::Mul(m, hn::Mul(by_q, by_u)));
    const V twist = hn::Mul(hn::Mul(hn::Mul(newton, bend), hn::Set(d, -1.0 / 3)),
                            hn::Add(one, hn::Mul(hn::Add(left, left), by_q)));
    const V divisor = hn::Add(hn::Sub(one, hn::Add(bend, bend)), twist);
    const auto near =
        hn::And(hn::Lt(hn::Abs(bend), hn::Set(d, 0.25)), hn::Gt(divisor, hn::Set(d, 0.2)));
    const V halley = hn::Sub(one, hn::Min(bend, half));  // where the start was far off
    const V step = hn::Div(hn::IfThenElse(near, hn::Mul(newton, hn::Sub(one, bend)), newton),
                           hn::IfThenElse(near, divisor, halley));
    // A step this short is the last: the next would be of its fourth power. It is made in u, by the
    // first terms of exp(step) - 1.
    const V cubic = hn::Add(one, hn::Mul(hn::Mul(step, hn::Set(d, 1.0 / 3)),
                                         hn::Add(one, hn::Mul(step, hn::Set(d, 0.25)))));
    const V grown = hn::Mul(step, hn::Add(one, hn::Mul(hn::Mul(half, step), cubic)));
    const V last = hn::Add(m, hn::Sub(u, hn::Mul(left, grown)));
    const auto is_short = hn::Or(hn::Le(hn::Abs(step), hn::Mul(hn::Set(d, 1e-3), hn::Min(one, s))),
                                 hn::Le(left, hn::Set(d, 1e-17)));
    const auto ends = hn::AndNot(done, is_short);
    result = hn::IfThenElse(ends, last, result);
    done = hn::Or(done, ends);
    if (n == kMostSteps || hn::AllTrue(d, done)) break;
    s = hn::Max(hn::Sub(s, step), hn::Mul(s, hn::Set(d, 0.125)));
    u = hn::Neg(hn::Mul(rest, expm1(d, hn::Neg(s))));
  }
  return hn::IfThenElse(done, result, hn::Add(m, u));
}

// kl_ucb() of kl_ucb.h, element by element.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V kl_ucb(D d, V observed, V attracted, V budget) {
  const V zero = hn::Zero(d);
  const V one = hn::Set(d, 1.0);
  const auto nothing = hn::Le(observed, zero);
  const V trials = hn::IfThenElse(nothing, one, observed);
  const V mean = hn::Min(hn::Max(hn::Div(attracted, trials), zero), one);
  const V delta = hn::Div(budget, trials);
  const auto is_mean = hn::Or(hn::Le(budget, zero), hn::Ge(mean, one));
  const auto is_zero = hn::Le(mean, zero);
  const auto special = hn::Or(hn::Or(nothing, is_mean), is_zero);
  const V half = hn::Set(d, 0.5);
  const V inside =
      kl_ucb_inside(d, hn::IfThenElse(special, half, mean), hn::IfThenElse(special, half, delta));
  V result = hn::Max(mean, hn::Min(one, inside));
  if (!hn::AllFalse(d, is_zero)) {
    result = hn::IfThenElse(is_zero, hn::Neg(expm1(d, hn::Neg(delta))), result);
  }
  result = hn::IfThenElse(is_mean, mean, result);
  return hn::IfThenElse(nothing, one, result);
}

}  // namespace dcmrank::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
