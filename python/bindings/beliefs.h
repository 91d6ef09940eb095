#pragma once

#include "frames/table.h"
#include "native_policy.h"

namespace dcmrank::python {

/// What a policy has counted of items, from its saved state (docs/formats.md): item, observed,
/// attracted and estimate, the mean of attraction that the counts make likely (NaN if they do
/// not tell it); with a column position where it counts items at each position by themselves.
/// Throws InputError for a policy that counts no clicks of items.
Table beliefs_of(const NativePolicy& policy);

}  // namespace dcmrank::python
