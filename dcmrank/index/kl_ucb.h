#pragma once

#include <cstdint>

#include "dcmrank/model/counts.h"

namespace dcmrank {

/// D_KL(p || q) between Bernoulli variables of means p and q; +infinity where q excludes what p
/// allows. Accurate also where q is very close to p.
double bernoulli_kl(double p, double q);

/// log t + 3 log log t, the exploration budget of Eq. (1). It is -infinity at t = 1 and negative at
/// t = 2; the paper does not say what to do then; we clamp at 0, so that the index is the mean.
double paper_budget(std::uint64_t t);

/// max{q in [w, 1] : T * D_KL(w || q) <= budget}, w = S/T (Eq. (1)): exact to 1e-10 for all counts.
/// 1 where nothing was observed; the mean where the budget is not positive.
double kl_ucb(const Counts& counts, double budget);

/// Whether the index is certainly 1 in double precision, at this budget and all larger ones:
/// 1 - q <= (1 - w) exp(-budget / failed), here below 2^-60.
inline bool is_saturated(const Counts& counts, double budget) {
  return counts.observed <= 0 || budget > 42 * (counts.observed - counts.attracted);
}

}  // namespace dcmrank
