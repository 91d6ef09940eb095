#pragma once

#include <string>

#include "dcmrank/arena/arena.h"

namespace dcmrank::command {

/// What the terminal shows of an arena.
std::string arena_text(const ArenaOptions& options, const ArenaResult& result);

/// Its two tables as LaTeX: by policy, and by world.
std::string arena_latex(const ArenaOptions& typed, const ArenaResult& result);

}  // namespace dcmrank::command
