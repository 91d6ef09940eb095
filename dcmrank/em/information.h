#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dcmrank/em/em.h"

namespace dcmrank {

/// The variances of the queries' own parameters where EM ended (those of the queries in turn): the
/// diagonal of the inverse of the observed information, the prior's included. It counts what EM's
/// expected counts leave out: that it is not known whether an item was examined, and that the
/// shared parameters are estimates too. Not a number where there is none: for parameters at 0 or 1,
/// for queries of more than a thousand parameters, where tails have to be read again, and where the
/// log does not identify the parameters.
///
/// The information is the slope of the score, which EM's expectations give at any point: S
/// successes in T trials expected of an event with chance p have the score (S - T p) / (p (1 - p)).
std::vector<double> own_variances(const Sample& sample, const EmModel& model,
                                  const EmResult& result, const FitOptions& options);

/// Gives the items of a fitted model intervals of their attraction, where the options ask for them,
/// EM converged, and they have a variance: Wilson's, of as many trials as have the same variance.
/// Attractions are the first parameters of a query, in the order of its items. `told`: whether the
/// log tells enough of each of the queries' parameters (identification.h), if that is known.
void add_intervals(const Sample& sample, const EmModel& model, const EmResult& result,
                   const FitOptions& options, FittedModel& fitted,
                   std::span<const std::uint8_t> told = {});

}  // namespace dcmrank
