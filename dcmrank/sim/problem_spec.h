#pragma once

#include "dcmrank/model/dcm.h"
#include "dcmrank/registry/spec.h"

namespace dcmrank {

/// A simulation knows the problem, and may tell a policy what the paper assumes known:
/// order=problem becomes the true order of the positions, terminations=problem the true
/// probabilities. Anything else is unchanged.
PolicySpec for_problem(PolicySpec spec, const Dcm& dcm);

}  // namespace dcmrank
