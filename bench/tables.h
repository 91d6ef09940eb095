#pragma once

#include <span>
#include <string>

#include "measure.h"

namespace dcmrank::bench {

/// Markdown: one problem per line, "regret (standard error)" per policy; then the sums, and their
/// ratio to the first policy's with its error over the runs.
std::string regret_table(const Rows& rows);

/// Markdown: the differences to the first policy, taken run by run, with their standard errors.
std::string difference_table(const Rows& rows);

/// Markdown: one policy per line. Sum of the regrets, its ratio to the first policy's with its
/// error (over the runs; over the problems where there is one run), on how many problems it is
/// below the first policy, how many look linear, the largest regret.
std::string summary_table(const Rows& rows);

/// Markdown: the problems on which policy `which` is not below the first, or looks linear.
std::string failure_table(const Rows& rows, std::size_t which);

/// suite, problem, policy, steps, runs, regret, its standard error, regret after half of the steps.
std::string csv_lines(const std::string& suite, const Rows& rows);

}  // namespace dcmrank::bench
