#pragma once

#include <vector>

#include "dcmrank/registry/registry.h"

namespace dcmrank {

/// The registry's entries of the family of dcmKL-UCB (dcm_policy.h).
std::vector<PolicyEntry> dcm_entries();

}  // namespace dcmrank
