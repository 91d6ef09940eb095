#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dcmrank/arena/world.h"

namespace dcmrank {

/// The kinds of worlds that can be drawn: dcm, pbm, ubm, dbn, ccm, cascade.
std::vector<std::string> random_world_kinds();

/// How worlds are drawn, a line for what all have in common and one for each kind.
std::vector<std::string> random_world_distributions();

/// World `number` (from 1) of a kind: a function of (seed, kind, number) alone, the same on every
/// machine. Throws InputError for an unknown kind, naming `option`.
World random_world(const std::string& kind, std::uint64_t seed, std::uint64_t number,
                   const std::string& option = "kind");

}  // namespace dcmrank
