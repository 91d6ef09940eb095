#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "dcmrank/arena/arena.h"
#include "dcmrank/html/html.h"
#include "dcmrank/plot/heat_map.h"

namespace dcmrank {

/// Which policy holds where: worlds by kind, policies as columns.
HeatMap arena_figure(const ArenaOptions& options, const ArenaResult& result);

/// A row for every kind and policy.
TextTable tally_table(const ArenaOptions& options, const ArenaResult& result);

/// A row for every world; policies are columns, numbered from 1. A cell is the net regret, the
/// number of linear runs in square brackets, and a star where the policy does not hold.
TextTable world_table(const ArenaResult& result);

/// Says where there is no verdict because the floor is not known; empty if there is no such world.
std::string unknown_floors_note(const ArenaResult& result);

/// Says that there are too few steps to tell who is linear and who holds; empty where there are
/// enough.
std::string short_note(const ArenaOptions& options);

/// Says whether policies were told the order of positions: results depend much on it.
std::string order_note(const ArenaOptions& options);

/// arena.html, with the figure from arena.svg in options.out; `notes` are paragraphs besides.
std::string arena_page(const ArenaOptions& options, const ArenaResult& result,
                       const std::vector<std::string>& notes);

/// Writes arena.json, arena.csv, arena.svg and arena.html into options.out.
void write_arena(const ArenaOptions& options, const ArenaResult& result,
                 const std::vector<std::string>& notes);

}  // namespace dcmrank
