#pragma once

#include <nlohmann/json_fwd.hpp>

#include "dcmrank/random/rng.h"

namespace dcmrank {

/// The four words of a generator, which a saved policy needs to go on drawing as it would have.
nlohmann::ordered_json rng_to_json(const Rng& rng);

/// The member "generator" of a saved policy. Throws InputError if it is not one.
Rng rng_from_json(const nlohmann::ordered_json& json);

}  // namespace dcmrank
