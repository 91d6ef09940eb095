#pragma once

#include <span>

#include "dcmrank/model/dcm.h"
#include "dcmrank/model/interaction.h"

namespace dcmrank {

/// The exact probability of the clicks on a list under the model. With the last click at l and
/// everything counted from the top of the screen,
///     prod_{i<l} [w_i (1 - v_i)]^{c_i} (1 - w_i)^{1 - c_i}
///       * w_l * (v_l + (1 - v_l) prod_{j>l} (1 - w_j)),
/// and prod_i (1 - w_i) without a click: whether the user stopped at l or went on and found nothing
/// cannot be seen, so both count. This, and not the prefix up to l of Sec. 3.2, is what the
/// repaired counting maximises, by one step of EM per page. The termination of the last position
/// does not appear.
double page_likelihood(const Dcm& dcm, std::span<const Item> list, Clicks clicks);

/// The limit of the paper's estimate (Sec. 3.2) for the item at position k, counted from 0, when
/// only `list` is shown: clicks at k over the pages that count k. Not its attraction, except at the
/// first position or where every termination above is 1. For K = 2 and the second position:
///     w2 (1 - v1 w1) / (w2 (1 - v1 w1) + (1 - w1) (1 - w2)).
double prefix_estimate_limit(const Dcm& dcm, std::span<const Item> list, std::size_t k);

}  // namespace dcmrank
