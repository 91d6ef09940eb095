#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dcmrank/em/em.h"

namespace dcmrank {

/// How certain a fit is.
struct Certainty {
  /// Of the queries' own parameters (those of the queries in turn): the diagonal of the inverse of
  /// the observed information, the prior's included. It counts what EM's expected counts leave out:
  /// that it is not known whether an item was examined, and that the shared parameters are
  /// estimates too. Not a number where there is none: for parameters at 0 or 1, for queries of more
  /// than a thousand parameters, and where tails have to be read again.
  std::vector<double> variances;
  /// By parameter, as EmModel::start: whether it takes part in a direction in which the log tells
  /// nothing beyond the prior (flat_directions.h). None where a query has no variances.
  std::vector<std::uint8_t> doubted;
};

/// The information is the slope of the score, which EM's expectations give at any point: S
/// successes in T trials expected of an event with chance p have the score (S - T p) / (p (1 - p)).
Certainty certainty_of(const Sample& sample, const EmModel& model, const EmResult& result,
                       const FitOptions& options);

/// What EM's parameters are called. The first of a query are the attractions of its items, in
/// their order, then each of the other parameters of items, then the entries of a list; or all
/// queries share that list.
struct EmNames {
  std::vector<std::string> items = {};
  std::string list = {};
};

/// Where the options ask for intervals and EM converged: marks what the log does not identify, and
/// gives the attractions that it does, and that have a variance, intervals: Wilson's, of as many
/// trials as have the same variance.
void add_intervals(const Sample& sample, const EmModel& model, const EmResult& result,
                   const FitOptions& options, const EmNames& names, FittedModel& fitted);

}  // namespace dcmrank
