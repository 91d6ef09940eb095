#pragma once

#include <concepts>

#include "dcmrank/model/counts.h"

namespace dcmrank {

/// A KL-UCB index as a function of time: the budget of counts is clock() less a constant of the
/// counts wherever it is positive (less nothing where kOneBudget), and the clock never goes back
/// while counts stay as they are. The best of many items by it are found without computing every
/// index (select/kl_ucb_selection.h).
template <class I>
concept ClockedKlUcb = requires(const I& index, const Counts& counts) {
  { index.clock() } -> std::same_as<double>;
  { index.budget(counts) } -> std::same_as<double>;
  { I::kOneBudget } -> std::convertible_to<bool>;
};

}  // namespace dcmrank
