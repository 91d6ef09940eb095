#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dcmrank/worlds/world.h"

namespace dcmrank {

/// The kinds of worlds that can be drawn: dcm, pbm, ubm, dbn, ccm, cascade.
std::vector<std::string> random_world_kinds();

/// How worlds are drawn, a line for what all have in common and one for each kind.
std::vector<std::string> random_world_distributions();

/// What is not left to chance; the rest is drawn as it would be otherwise.
struct FixedParts {
  std::optional<std::size_t> items{};                     // L
  std::optional<std::size_t> positions{};                 // K
  std::optional<std::pair<double, double>> attraction{};  // the range that they are drawn from
};

/// World `number` (from 1) of a kind: a function of (seed, kind, number, fixed) alone, the same on
/// every machine. Throws InputError for an unknown kind, naming `option`, and for parts that no
/// world can have.
World random_world(const std::string& kind, std::uint64_t seed, std::uint64_t number,
                   const std::string& option = "kind", const FixedParts& fixed = {});

}  // namespace dcmrank
