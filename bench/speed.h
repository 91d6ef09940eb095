// What the benchmarks of simulated rounds share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dcmrank/index/kl_ucb_batch.h"
#include "dcmrank/model/dcm.h"
#include "dcmrank/policy/policy.h"

namespace dcmrank::bench {

/// The problem of Fig. 2, and others of its class: p = 0.2, gap = 0.15, gamma = 0.5.
Dcm lower_bound_problem(std::size_t items, std::size_t positions);

/// CPU time of this thread, in seconds.
double cpu_seconds();

/// Nanoseconds of CPU a round: n rounds from the first on, set-up included.
double round_cost(const std::string& policy, const Dcm& dcm, std::uint64_t n, std::uint64_t run);
/// Of the plain version (plain.h).
double plain_round_cost(const Dcm& dcm, std::uint64_t n, std::uint64_t run);

/// Counts and budgets as they occur in simulations: 1 to 60,000 observations, means around .05 and
/// .3, rounds up to a million.
std::vector<KlUcbBatch> realistic_batches(std::size_t count);
/// So many that no branch predictor remembers them.
inline constexpr std::size_t kBatches = 512;

/// Writes the tables of the ratios and of the growth; draws them into `picture` unless it is empty.
void print_tables(const std::string& picture);

}  // namespace dcmrank::bench
