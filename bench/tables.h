#pragma once

#include <span>
#include <string>

#include "measure.h"

namespace dcmrank::bench {

/// Markdown: a problem a line, "regret (standard error)" a policy, and the sums.
std::string regret_table(const Rows& rows);

/// Markdown: a policy a line. Sum of the regrets, its ratio to the first policy's, on how many
/// problems it is below the first policy, how many look linear, the largest regret.
std::string summary_table(const Rows& rows);

/// Markdown: the problems on which policy `which` is not below the first, or looks linear.
std::string failure_table(const Rows& rows, std::size_t which);

/// suite, problem, policy, steps, runs, regret, its standard error, regret after half of the steps.
std::string csv_lines(const std::string& suite, const Rows& rows);

}  // namespace dcmrank::bench
