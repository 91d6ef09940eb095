// The entry to this room: which selection finds the best items for an index.
#pragma once

#include "dcmrank/index/clocked_kl_ucb.h"
#include "dcmrank/index/thompson_index.h"
#include "dcmrank/select/kl_ucb_selection.h"
#include "dcmrank/select/plain_selection.h"
#include "dcmrank/select/sampled_selection.h"

namespace dcmrank {

/// Any index has the plain selection. An index that has a faster one specialises this.
template <Index I>
struct SelectionFor {
  using type = PlainSelection;
};

template <Index I>
requires ClockedKlUcb<I>
struct SelectionFor<I> {
  using type = KlUcbSelection;
};

template <>
struct SelectionFor<ThompsonIndex> {
  using type = SampledSelection<ThompsonIndex>;
};

template <>
struct SelectionFor<OptimisticThompsonIndex> {
  using type = SampledSelection<OptimisticThompsonIndex>;
};

template <Index I>
using BestItems = typename SelectionFor<I>::type;

static_assert(Selection<BestItems<ThompsonIndex>, ThompsonIndex>);

}  // namespace dcmrank
