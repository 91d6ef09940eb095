#pragma once

#include <vector>

#include "dcmrank/users/model_case.h"
#include "dcmrank/users/problem.h"

namespace dcmrank {

/// The list that regret is measured against: the n-th most attractive item at the n-th best
/// position. Where that is not sure to be the best, the best of all lists if they are few; else two
/// items of it change places, or one with an item outside, for as long as the expected reward
/// grows: a local optimum then.
std::vector<Item> best_list(const ModelCase& model_case);

/// What is known of lists, given the best one and its reward in model_case.best.
ListFacts facts_of(const ModelCase& c, const std::vector<Item>& best);

}  // namespace dcmrank
