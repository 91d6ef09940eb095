#pragma once

#include <string>

#include "dcmrank/libpq/session.h"

namespace dcmrank::service {

/// The layout of the tables (docs/fleet.md). A change is a new version and a step in schema.cpp.
inline constexpr int kPgLayout = 3;
/// Programs that know this layout can work with the present one, too: servers of both versions run
/// side by side while a fleet is brought from one to the other. A step that only adds leaves it.
inline constexpr int kPgLeast = 1;

/// Makes the tables where there are none, and brings older ones to this layout; whoever starts at
/// the same time waits. Throws InputError where the tables are of a later layout that this program
/// cannot work with. The version that they had, where that was an earlier one; 0 otherwise.
int prepare_tables(PgSession& session);

/// Notes the start of a service; its number (Store::begin_start).
std::uint64_t note_start(PgSession& session);

/// Throws InputError where there are no tables, or none that this program can work with.
void check_tables(PgSession& session);

}  // namespace dcmrank::service
