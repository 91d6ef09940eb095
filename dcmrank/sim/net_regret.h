#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "dcmrank/sim/experiment.h"

namespace dcmrank {

// Most policies look for the best list that is sorted by attraction. Where users are such that
// another list is better, even that one loses: the floor. Regret net of the floor says how well a
// policy learned.

/// What the best sorted list loses over a run; nothing where its users do not tell.
std::optional<double> floor_of_run(const Problem& problem, std::uint64_t steps);

/// The regret less the floor of a run; negative for a policy that found better lists, not a number
/// where the floor is not known.
Summary net_regret(const PolicyResult& result, std::optional<double> floor);

/// A run is linear if its net regret is above `kLinearLeast` and more than `kLinearShare` of it
/// came in the second half of the run: it does not get better. (Half of a regret that grows
/// steadily comes there, 29 % of one that grows like a square root, little of a logarithm.)
inline constexpr double kLinearLeast = 30;
inline constexpr double kLinearShare = 0.45;
/// The same in words, for tables.
std::string linear_rule();
std::size_t linear_runs(const PolicyResult& result, double floor);

}  // namespace dcmrank
