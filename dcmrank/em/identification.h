#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dcmrank/em/em.h"

namespace dcmrank {

/// What the parameters of an EmModel are called in a fitted model.
struct ParameterNames {
  std::vector<std::string> own;  // after the attractions of a query's items: as many of each
  std::string list;              // of the shared ones
};

/// Marks what a log tells less about than the prior does: shared parameters, and what hangs on
/// them. Only where intervals are asked for, since it takes about as long; nothing where there is
/// no room for it (tails that are read again, queries of more than a thousand parameters).
///
/// It is decided by the expected information of what users may be seen to do (EmModel::outcomes):
/// a sum of products of slopes, so 0 along a direction in which nothing that is seen changes,
/// wherever EM stopped. (The slope of the score, information.h, is so only where the likelihood
/// without a prior is highest.) The variance of each parameter is compared with that under half the
/// prior of the shared ones: where only the prior decides, it doubles; where only the log does, it
/// stays; where both tell as much, it becomes 4/3 of it. A prior counts as its variance tells, none
/// as a uniform one.
///
/// Returns for the parameters of the queries in turn whether the log tells enough for an interval,
/// which takes the likelihood for a bell: fifty times as much as the prior, and hardly less than if
/// the shared parameters that are marked were known. (On a bent ridge every parameter but these may
/// look known where EM stopped.) Nothing where it did not look.
std::vector<std::uint8_t> mark_unidentified(const Sample& sample, const EmModel& model,
                                            const EmResult& result, const FitOptions& options,
                                            const ParameterNames& names, FittedModel& fitted);

}  // namespace dcmrank
