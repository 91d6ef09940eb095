#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "dcmrank/em/query_information.h"
#include "dcmrank/numeric/cholesky.h"

namespace dcmrank {

inline constexpr double kNoVariance = std::numeric_limits<double>::quiet_NaN();

/// Limits of what is inverted: parameters of a query, or shared ones, where they depend on each
/// other; numbers that are held; queries whose matrices are.
inline constexpr std::size_t kMostParameters = 1000;
inline constexpr std::size_t kMostNumbers = 50'000'000;
inline constexpr std::size_t kQueriesOfABlock = 256;

/// What is left of a query once its own parameters are eliminated from its information.
struct Eliminated {
  std::vector<double> variance;  // diagonal of A^-1; not a number where A has no inverse
  std::vector<double> slope;     // A^-1 B, by rows: how the own parameters follow the shared ones
  std::vector<double> shared;    // C - B' A^-1 B
};

/// Eliminates the `n` own parameters; `free` shared ones remain.
Eliminated eliminate(const QueryInformation& information, std::size_t n, std::size_t free);

/// Adds to the variances of own parameters that the shared ones, by whose factor they follow them
/// with these slopes, are estimates too.
void add_shared_variance(const Cholesky& shared, std::size_t free,
                         const std::vector<double>& slopes, std::vector<double>& variances);

}  // namespace dcmrank
