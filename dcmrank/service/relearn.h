#pragma once

#include <cstdint>

#include "dcmrank/ledger/lifetimes.h"
#include "dcmrank/store/store.h"

namespace dcmrank::service {

/// Whether the rows that are kept are of another family than those of the model's policy: it said
/// `recommended`, and that is another policy now.
bool must_learn_anew(const Model& model);

/// Lets the model learn anew from the impressions that are recorded; what older ones and imports
/// taught is lost. Interrupted, it begins again at the next start. How many impressions taught.
std::uint64_t learn_anew(Store& shelf, Model model, Time now);

}  // namespace dcmrank::service
