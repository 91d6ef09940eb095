#include "dcmrank/random/beta.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage)
#define HWY_TARGET_INCLUDE "dcmrank/random/beta.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include "dcmrank/numeric/elementary-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dcmrank::HWY_NAMESPACE {
namespace {

// One proposal of algorithm BB of Cheng, "Generating beta variates with nonintegral shape
// parameters", CACM 21(4), 1978: rejection from a distribution of the odds with a closed form.
// Needs a > 1 and b > 1. One logarithm and one exponential in most draws.
template <class D, class V = hn::Vec<D>, class M = hn::Mask<D>>
HWY_INLINE V propose(D d, V a, V b, V u1, V u2, M& accepted) {
  const V one = hn::Set(d, 1.0);
  const V least = hn::Min(a, b);
  const V most = hn::Max(a, b);
  const V sum = hn::Add(a, b);
  const V twice = hn::Mul(hn::Add(least, least), most);
  const V beta = hn::Sqrt(hn::Div(hn::Sub(sum, hn::Set(d, 2.0)), hn::Sub(twice, sum)));
  const V gamma = hn::Add(least, hn::Div(one, beta));
  const V v = hn::Mul(beta, log(d, hn::Div(u1, hn::Sub(one, u1))));
  const V w = hn::Mul(least, exp(d, v));
  const V z = hn::Mul(hn::Mul(u1, u1), u2);
  const V r = hn::Sub(hn::Mul(gamma, v), hn::Set(d, 1.3862943611198906));  // log 4
  const V s = hn::Sub(hn::Add(least, r), w);
  const V all = hn::Add(most, w);
  // The cheap test accepts nearly always; its constant is 1 + log 5.
  accepted = hn::Ge(hn::Add(s, hn::Set(d, 2.6094379124341003)), hn::Mul(hn::Set(d, 5.0), z));
  if (!hn::AllTrue(d, accepted)) {
    const V t = log(d, z);
    const V full = hn::Add(r, hn::Mul(sum, log(d, hn::Div(sum, all))));
    accepted = hn::Or(accepted, hn::Or(hn::Ge(s, t), hn::Ge(full, t)));
  }
  return hn::Div(hn::IfThenElse(hn::Le(a, b), w, most), all);
}

double draw_one(double a, double b, CounterRng& rng) {
  constexpr hn::CappedTag<double, 1> d;
  for (;;) {
    const double u1 = rng.inside();
    const double u2 = rng.inside();
    hn::Mask<decltype(d)> accepted;
    const auto draw =
        propose(d, hn::Set(d, a), hn::Set(d, b), hn::Set(d, u1), hn::Set(d, u2), accepted);
    if (hn::AllTrue(d, accepted)) return hn::GetLane(draw);
  }
}

// The proposals of the first `size` columns; -1 where they are rejected.
void propose_all(BetaBatch& batch, std::size_t size) {
  const hn::CappedTag<double, 8> d;
  for (std::size_t i = 0; i < size; i += hn::Lanes(d)) {
    hn::Mask<decltype(d)> accepted;
    const auto draw = propose(d, hn::Load(d, &batch.asking_a[i]), hn::Load(d, &batch.asking_b[i]),
                              hn::Load(d, &batch.u1[i]), hn::Load(d, &batch.u2[i]), accepted);
    hn::Store(hn::IfThenElse(accepted, draw, hn::Set(d, -1.0)), d, &batch.proposal[i]);
  }
}

}  // namespace
}  // namespace dcmrank::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "dcmrank/numeric/elementary.h"

namespace dcmrank {
namespace {

// With a parameter of 1 the distribution function has an inverse. Nearer to 1 than this, what Cheng
// divides by loses its digits.
constexpr double kOne = 1 + 1e-9;

}  // namespace

HWY_EXPORT(propose_all);

double sample_beta(double a, double b, CounterRng& rng) {
  if (a <= kOne) return -same_expm1(same_log(rng.inside()) / b);
  if (b <= kOne) return same_exp(same_log(rng.inside()) / a);
  return HWY_STATIC_DISPATCH(draw_one)(a, b, rng);
}

// Proposals for all, then for those that were rejected, side by side again, and so on.
void sample_betas(BetaBatch& batch) {
  std::array<std::uint8_t, BetaBatch::kRoom> item{};  // whose proposal stands in each column
  std::size_t asking = 0;
  for (std::size_t i = 0; i < batch.size; ++i) {
    if (std::min(batch.a[i], batch.b[i]) > kOne) {
      item[asking++] = static_cast<std::uint8_t>(i);
    } else {
      CounterRng rng(batch.key[i]);
      batch.draw[i] = sample_beta(batch.a[i], batch.b[i], rng);
    }
  }
  for (std::uint64_t n = 0; asking > 0; n += 2) {
    for (std::size_t c = 0; c < asking; ++c) {
      const std::size_t i = item[c];
      CounterRng rng(batch.key[i], n);
      batch.u1[c] = rng.inside();
      batch.u2[c] = rng.inside();
      batch.asking_a[c] = batch.a[i];
      batch.asking_b[c] = batch.b[i];
    }
    HWY_DYNAMIC_DISPATCH(propose_all)(batch, asking);
    std::size_t rejected = 0;
    for (std::size_t c = 0; c < asking; ++c) {
      const std::uint8_t i = item[c];
      batch.draw[i] = batch.proposal[c];
      item[rejected] = i;
      rejected += batch.proposal[c] < 0 ? 1 : 0;
    }
    asking = rejected;
  }
}

}  // namespace dcmrank
#endif
