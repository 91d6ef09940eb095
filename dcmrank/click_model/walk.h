#pragma once

#include <span>

#include "dcmrank/model/interaction.h"

namespace dcmrank {

/// The walk down a list that several models share: a user examines the first position; `leaves[k]`
/// is the probability of stopping after a click at k, and without a click the next position is
/// always examined. p becomes P(c_k = 1).
void full_walk(std::span<const double> attraction, std::span<const double> leaves,
               std::span<double> p);

/// The same given the clicks above each position.
void conditional_walk(std::span<const double> attraction, std::span<const double> leaves,
                      Clicks clicks, std::span<double> p);

/// The probability that such a user leaves at a click: 1 - prod_k (1 - leaves_k attraction_k).
double leaves_at_a_click(std::span<const double> attraction, std::span<const double> leaves);

}  // namespace dcmrank
