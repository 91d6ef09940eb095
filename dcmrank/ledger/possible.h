#pragma once

#include <string>

#include "dcmrank/ledger/delta.h"
#include "dcmrank/policy/open_policy.h"

namespace dcmrank::service {

/// What is wrong with sums that others say were learned: which item or position, and what is
/// impossible on so many pages. Empty if they are possible. A query's own sums always are.
std::string fault_of(const QueryDelta& sums, const RowFamily& family);

}  // namespace dcmrank::service
