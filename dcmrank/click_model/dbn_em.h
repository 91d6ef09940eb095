#pragma once

#include "dcmrank/fit/fitted.h"
#include "dcmrank/fit/sample.h"

namespace dcmrank {

/// Fits a DBN by EM (em.h) on its exact likelihood: attraction and satisfaction per item, and the
/// chance of going on, which all queries share, as the list `continuation`. Where that name is
/// empty, users who are not satisfied always go on: the simplified DBN.
FittedModel fit_dbn_by_em(const Sample& sample, const FitOptions& options,
                          const char* continuation);

}  // namespace dcmrank
