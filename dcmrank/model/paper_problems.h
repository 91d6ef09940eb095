#pragma once

#include <span>

#include "dcmrank/model/dcm.h"

namespace dcmrank {

/// The synthetic problems of Sec. 5, for everything that simulates, measures or tests them.

/// Fig. 1a: nine (L, K, gap), all with p = 0.2 and gamma = 0.8. The paper does not print them; this
/// is the grid of the sister table in Kveton et al. 2015.
std::span<const LowerBoundClass> fig1a_grid();

/// Fig. 1b: L = 16, gap = 0.15.
LowerBoundClass fig1b_problem(std::size_t positions, double gamma);

/// Fig. 2a and 2b.
LowerBoundClass fig2_problem();

/// Not the paper's: w = (.6, .5, .4), v = (.5, .1), where its counting goes wrong.
Dcm biased_problem();

}  // namespace dcmrank
