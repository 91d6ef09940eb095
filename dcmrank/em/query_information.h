#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "dcmrank/em/em.h"

namespace dcmrank {

/// Where EM ended, for one query: its own parameters, the shared ones, and which of these are free.
struct EmPoint {
  std::span<const double> own;
  std::span<const double> shared;
  std::span<const std::size_t> free;
};

/// The information of a query: of its own parameters (A, dense, or only its diagonal), of these
/// with the shared ones (B), and of the shared ones (C). Parameters at 0 or 1 have none.
struct QueryInformation {
  std::vector<double> own;     // A
  std::vector<double> both;    // B, a row of free shared parameters for each own one
  std::vector<double> shared;  // C
};

/// The observed information, by difference quotients of the score or, where the model gives them,
/// from its pieces; the prior's of the own parameters is included.
QueryInformation query_information(const Sample& sample, const EmModel& model, std::size_t query,
                                   const EmPoint& point, const Prior& prior);

/// What a prior adds to the information of a parameter.
double prior_information(const Prior& prior, double p);

/// Parameters nearer to 0 or 1 are taken as fixed.
inline bool is_inside(double p) {
  constexpr double kInside = 1e-9;
  return p > kInside && p < 1 - kInside;
}

}  // namespace dcmrank
