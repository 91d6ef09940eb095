#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "dcmrank/libpq/session.h"

namespace dcmrank::service {

// A caller's own id is claimed (`named`) before its list is stored, in another bucket. Where a list
// is not there this long after its claim, it never will be: the id is free, and whoever is still at
// storing the list gives up a little earlier (kClaimHolds).
inline constexpr std::int64_t kStaleClaim = 10'000;  // milliseconds, by the clock of the database
inline constexpr std::int64_t kClaimHolds = 8'000;

/// A claim without a list.
struct PgLooseName {
  std::int64_t bucket = 0;
  std::int64_t model = 0;  // 0: the list came from another store
  std::string id;
  std::int64_t number = 0;
  std::int64_t age = 0;  // milliseconds since the claim

  bool is_stale() const { return age > kStaleClaim; }
};

/// Where a look at all names has come to.
using PgNamePlace = std::tuple<std::int64_t, std::int64_t, std::string>;
inline const PgNamePlace kFirstName{-1, 0, ""};

/// The claims without a list among the next `most` names. The place goes on, and begins anew after
/// the last one.
std::vector<PgLooseName> pg_loose_names(PgSession& session, PgNamePlace& place, std::int64_t most);

/// Frees an id, unless it is of another list by now.
void pg_free_name(PgSession& session, const PgLooseName& name);

}  // namespace dcmrank::service
