#pragma once

#include <type_traits>
#include <utility>

#include "dcmrank/index/kl_ucb_index.h"
#include "dcmrank/index/thompson_index.h"
#include "dcmrank/policy/dcm_policy.h"
#include "dcmrank/policy/exp3_bandit.h"
#include "dcmrank/policy/kl_ucb_bandit.h"
#include "dcmrank/policy/pbm_policy.h"
#include "dcmrank/policy/robust_policy.h"
#include "dcmrank/policy/toprank.h"
#include "dcmrank/registry/any_policy.h"

namespace dcmrank {

using DcmKlUcb = DcmPolicy<KlUcbIndex>;
using DcmKlUcbPlus = DcmPolicy<KlUcbPlusIndex>;
using DcmThompson = DcmPolicy<ThompsonIndex>;
using DcmOptimisticThompson = DcmPolicy<OptimisticThompsonIndex>;

/// Calls `use` with the policy inside: by its own type where it is one of ours, so that a loop over
/// it is compiled as a whole; as an AnyPolicy otherwise.
template <class Use>
decltype(auto) visit_policy(AnyPolicy& policy, Use&& use) {
  if (auto* p = policy.as<DcmKlUcb>()) return use(*p);
  if (auto* p = policy.as<DcmKlUcbPlus>()) return use(*p);
  if (auto* p = policy.as<DcmThompson>()) return use(*p);
  if (auto* p = policy.as<DcmOptimisticThompson>()) return use(*p);
  if (auto* p = policy.as<BrowsingPolicy>()) return use(*p);
  if (auto* p = policy.as<RobustPolicy>()) return use(*p);
  if (auto* p = policy.as<PbmPolicy>()) return use(*p);
  if (auto* p = policy.as<TopRank>()) return use(*p);
  if (auto* p = policy.as<RankedKlUcb>()) return use(*p);
  if (auto* p = policy.as<RankedExp3>()) return use(*p);
  return use(policy);
}

}  // namespace dcmrank
