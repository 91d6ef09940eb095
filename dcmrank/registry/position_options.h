#pragma once

#include <vector>

#include "dcmrank/placement/positions.h"
#include "dcmrank/registry/registry.h"
#include "dcmrank/registry/spec.h"

namespace dcmrank {

/// The options order, terminations and last-termination, as --help shows them.
std::vector<PolicyOption> position_options();

/// Reads them. Throws InputError if they are wrong or contradict each other.
PositionKnowledge position_knowledge(const PolicySpec& spec, const PolicyCase& policy_case);

/// The option order alone, for policies that cannot learn it: from the top unless it is given.
PolicyOption told_order_option();
PositionOrder told_order(const PolicySpec& spec, const PolicyCase& policy_case);

/// The option examination: how likely each position is looked at; 1/k unless it is given.
PolicyOption told_examination_option();
std::vector<double> told_examination(const PolicySpec& spec, const PolicyCase& policy_case);

}  // namespace dcmrank
