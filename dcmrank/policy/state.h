#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "dcmrank/model/counts.h"
#include "dcmrank/model/doubt.h"
#include "dcmrank/model/termination_counts.h"

namespace dcmrank {

/// Parts that the saved states of policies have in common. The readers throw InputError, naming
/// the field, for anything that the writers would not have written.

nlohmann::ordered_json counts_to_json(std::span<const Counts> counts);

/// The member "counts", as many as `counts` has room for.
void counts_from_json(const nlohmann::ordered_json& state, std::span<Counts> counts);

nlohmann::ordered_json terminations_to_json(std::span<const TerminationCounts> counts);

/// The member "terminations", likewise. A state without it, written by a policy that did not learn
/// terminations yet, leaves them unlearned.
void terminations_from_json(const nlohmann::ordered_json& state,
                            std::span<TerminationCounts> counts);

nlohmann::ordered_json doubts_to_json(std::span<const Doubt> doubts);

/// The member `name`, likewise.
void doubts_from_json(const nlohmann::ordered_json& state, const char* name,
                      std::span<Doubt> doubts);

/// The member "round", at least 1.
std::uint64_t round_from_json(const nlohmann::ordered_json& state);

}  // namespace dcmrank
