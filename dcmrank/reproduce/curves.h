#pragma once

#include <span>
#include <string>

#include "dcmrank/reproduce/part.h"

namespace dcmrank {

/// What figures of regret curves have in common: the curves, and a table of the final regrets with
/// their ratio to the first, run by run.
Figure curve_figure(const std::string& title, std::span<const PolicyResult> results);
TextTable end_table(std::span<const PolicyResult> results);

/// The regrets of policy `which` of `policies` on one problem after another.
Series regret_points(std::string label, std::span<const PolicyResult> results, std::size_t policies,
                     std::size_t which);

/// The regrets of one policy averaged over several problems, with curves of every run. The problems
/// share their users' draws, so they are averaged within each run first; the error is that over the
/// runs.
PolicyResult average(const std::string& policy, std::span<const PolicyResult> results);

}  // namespace dcmrank
