// log, log1p, expm1 and exp on vectors of doubles, for the instruction set that is being compiled
// (Google Highway; include it as Highway's own -inl.h files). Only operations that IEEE 754 rounds
// exactly are used, and no fused multiply-add: so every instruction set, and a vector of one, gives
// the same bits. Errors are below 2 units in the last place (elementary_test.cpp).
#if defined(DCMRANK_NUMERIC_ELEMENTARY_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DCMRANK_NUMERIC_ELEMENTARY_INL_H_
#undef DCMRANK_NUMERIC_ELEMENTARY_INL_H_
#else
#define DCMRANK_NUMERIC_ELEMENTARY_INL_H_
#endif

#include <cstdint>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace dcmrank::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// The polynomial whose coefficients are given from the highest power.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V polynomial(D /*d*/, V /*x*/, V sum) {
  return sum;
}
template <class D, class V = hn::Vec<D>, class... Rest>
HWY_INLINE V polynomial(D d, V x, V sum, double next, Rest... rest) {
  return polynomial(d, x, hn::Add(hn::Mul(sum, x), hn::Set(d, next)), rest...);
}

inline constexpr double kLn2High = 0x1.62e42fee00000p-1;  // times a small integer is exact
inline constexpr double kLn2Low = 0x1.a39ef35793c76p-33;

/// log(2^k (1 + f)) for 1 + f in [sqrt(1/2), sqrt(2)): 2 atanh(s), s = f / (2 + f), arranged so
/// that f enters without an error.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V log_of_parts(D d, V k, V f) {
  const V s = hn::Div(f, hn::Add(hn::Set(d, 2.0), f));
  const V z = hn::Mul(s, s);
  const V z2 = hn::Mul(z, z);
  // 2 atanh(s) = s (2 + z p(z)): Chebyshev fit of p, relative error of the whole 5e-18. In two
  // halves, which do not wait for each other.
  const V even = polynomial(d, z2, hn::Set(d, 0.1461644968504340586), 0.1818288912526172208,
                            0.28571428625975484921, 0.66666666666666696862);
  const V odd = polynomial(d, z2, hn::Set(d, 0.15331721600556041269), 0.22222211134795079855,
                           0.3999999999989950449);
  const V r = hn::Mul(z, hn::Add(even, hn::Mul(z, odd)));
  const V half = hn::Mul(hn::Set(d, 0.5), hn::Mul(f, f));
  const V low = hn::Add(hn::Mul(s, hn::Add(half, r)), hn::Mul(k, hn::Set(d, kLn2Low)));
  return hn::Add(hn::Mul(k, hn::Set(d, kLn2High)), hn::Sub(f, hn::Sub(half, low)));
}

/// k, 2^-k and m of x = 2^k m, m in [sqrt(1/2), sqrt(2)), x positive and normal.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V split(D d, V x, V& m, V& scale) {
  const hn::RebindToUnsigned<D> du;
  constexpr std::uint64_t kSqrtHalf = 0x3fe6a09e667f3bcdu;  // the bits of sqrt(1/2)
  constexpr std::uint64_t kOne = 0x3ff0000000000000u;
  constexpr std::uint64_t kMantissa = 0x000fffffffffffffu;
  const auto bits = hn::Add(hn::BitCast(du, x), hn::Set(du, kOne - kSqrtHalf));
  m = hn::BitCast(d, hn::Add(hn::And(bits, hn::Set(du, kMantissa)), hn::Set(du, kSqrtHalf)));
  const auto exponent = hn::ShiftRight<52>(bits);
  scale = hn::BitCast(d, hn::ShiftLeft<52>(hn::Sub(hn::Set(du, std::uint64_t{2046}), exponent)));
  // The exponent as a double, without an instruction that converts: 2^52 + e, less 2^52.
  const auto as_double = hn::Or(exponent, hn::Set(du, 0x4330000000000000u));
  return hn::Sub(hn::BitCast(d, as_double), hn::Set(d, 0x1p52 + 1023));
}

/// x positive, normal and finite.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V log(D d, V x) {
  V m;
  V scale;
  const V k = split(d, x, m, scale);
  return log_of_parts(d, k, hn::Sub(m, hn::Set(d, 1.0)));
}

/// log(1 + x), x > -1 and finite.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V log1p(D d, V x) {
  const V one = hn::Set(d, 1.0);
  const V y = hn::Add(one, x);
  V m;
  V scale;
  const V k = split(d, y, m, scale);
  // Where 1 + x needs no scaling, f is x itself. Elsewhere what rounding 1 + x lost is added back:
  // log(y + lost) = log(y) + lost / y, where 1 / m, about 2 - m, need only be right to a tenth.
  const V lost =
      hn::IfThenElse(hn::Lt(x, one), hn::Sub(x, hn::Sub(y, one)), hn::Sub(one, hn::Sub(y, x)));
  const auto whole = hn::Eq(k, hn::Zero(d));
  const V f = hn::IfThenElse(whole, x, hn::Sub(m, one));
  const V added = hn::Mul(hn::Mul(lost, scale), hn::Sub(hn::Set(d, 2.0), m));
  return hn::Add(log_of_parts(d, k, f), hn::IfThenZeroElse(whole, added));
}

/// e^r - 1 and the scale 2^k of x = k log 2 + r, x in [-700, 700].
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp_parts(D d, V x, V& scale) {
  const hn::RebindToUnsigned<D> du;
  const V magic = hn::Set(d, 0x1.8p52);  // adding it rounds to an integer, which its low bits hold
  const V shifted = hn::Add(hn::Mul(x, hn::Set(d, 0x1.71547652b82fep0)), magic);
  const V k = hn::Sub(shifted, magic);
  scale = hn::BitCast(
      d, hn::ShiftLeft<52>(hn::Add(hn::BitCast(du, shifted), hn::Set(du, std::uint64_t{1023}))));
  const V r =
      hn::Sub(hn::Sub(x, hn::Mul(k, hn::Set(d, kLn2High))), hn::Mul(k, hn::Set(d, kLn2Low)));
  // r + r^2/2 + r^3 (1/3! + r/4! + ...), |r| <= log(2)/2; the tail in two halves.
  const V r2 = hn::Mul(r, r);
  const V even = polynomial(d, r2, hn::Set(d, 1.0 / 6227020800), 1.0 / 39916800, 1.0 / 362880,
                            1.0 / 5040, 1.0 / 120, 1.0 / 6);
  const V odd = polynomial(d, r2, hn::Set(d, 1.0 / 479001600), 1.0 / 3628800, 1.0 / 40320,
                           1.0 / 720, 1.0 / 24);
  const V tail = hn::Mul(hn::Mul(r2, r), hn::Add(even, hn::Mul(r, odd)));
  return hn::Add(r, hn::Add(hn::Mul(hn::Set(d, 0.5), r2), tail));
}

/// x at most 700; -1 below -700.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V expm1(D d, V x) {
  V scale;
  const V part = exp_parts(d, hn::Max(x, hn::Set(d, -700.0)), scale);
  return hn::Add(hn::Mul(scale, part), hn::Sub(scale, hn::Set(d, 1.0)));
}

/// x at most 700; e^-700 below -700.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp(D d, V x) {
  V scale;
  const V part = exp_parts(d, hn::Max(x, hn::Set(d, -700.0)), scale);
  return hn::Add(scale, hn::Mul(scale, part));
}

}  // namespace dcmrank::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
