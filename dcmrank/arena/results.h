#pragma once

#include <nlohmann/json_fwd.hpp>

#include "dcmrank/arena/arena.h"
#include "dcmrank/base/csv.h"

namespace dcmrank {

/// arena.json (docs/formats.md): the same bytes for the same seeds and program.
nlohmann::ordered_json arena_to_json(const ArenaOptions& options, const ArenaResult& result);

/// A row for every world and policy.
DataTable arena_rows(const ArenaOptions& options, const ArenaResult& result);

}  // namespace dcmrank
