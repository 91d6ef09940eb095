#pragma once

#include "dcmrank/fit/fitted.h"
#include "dcmrank/fit/sample.h"

namespace dcmrank {

/// What estimators begin with: the queries and items of a sample, with an estimate of the
/// attraction from the counts that `counts_of` picks.
FittedModel fit_attraction(const Sample& sample, const Prior& prior,
                           Counts (*counts_of)(const ItemCounts&));

}  // namespace dcmrank
