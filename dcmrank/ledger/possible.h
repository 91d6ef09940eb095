#pragma once

#include <string>

#include "dcmrank/ledger/delta.h"
#include "dcmrank/policy/open_policy.h"

namespace dcmrank::service {

/// What is wrong with sums that somebody else says were learned: which item or position, and what
/// cannot be on so many pages. Empty where they can be. A query's sums always can.
std::string fault_of(const QueryDelta& sums, const RowFamily& family);

}  // namespace dcmrank::service
