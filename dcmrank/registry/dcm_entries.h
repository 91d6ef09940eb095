#pragma once

#include <concepts>
#include <string>
#include <utility>
#include <vector>

#include "dcmrank/policy/dcm_policy.h"
#include "dcmrank/registry/registry.h"

namespace dcmrank {

/// The options that all policies of dcmKL-UCB's family have (dcm_policy.h), as --help shows them,
/// and how they are read.
std::vector<PolicyOption> dcm_options(const DcmOptions& defaults);
DcmOptions read_dcm_options(const PolicySpec& spec, const PolicyCase& policy_case,
                            const DcmOptions& defaults);

/// A policy of the family with your own index: counting, placement and everything else come with
/// it. An index that needs the number of items or the horizon has a constructor from a Shape. For
/// add_policy.
template <Index I>
PolicyEntry index_policy(std::string name, std::string summary,
                         const DcmOptions& defaults = {.counting = Counting::kEm}) {
  const auto make = [defaults](const PolicySpec& spec, const PolicyCase& policy_case) -> AnyPolicy {
    const auto options = read_dcm_options(spec, policy_case, defaults);
    if constexpr (std::constructible_from<I, const Shape&>) {
      return DcmPolicy<I>(policy_case.shape, I(policy_case.shape), options);
    } else {
      return DcmPolicy<I>(policy_case.shape, I(), options);
    }
  };
  return {std::move(name), std::move(summary), dcm_options(defaults), make};
}

/// The entries of the family.
std::vector<PolicyEntry> dcm_entries();

}  // namespace dcmrank
