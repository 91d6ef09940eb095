#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "dcmrank/libpq/session.h"

namespace dcmrank::service {

/// Whoever forgets something has its bucket for himself; all others only see to it that nobody
/// does.
inline constexpr const char* kTakeBucket =
    "SELECT pg_advisory_xact_lock(1684237938, $1::int8::int4)";
inline constexpr const char* kShareBucket =
    "SELECT pg_advisory_xact_lock_shared(1684237938, $1::int8::int4)";
/// Whoever changes models does so alone; this is no bucket's number.
inline constexpr const char* kTakeModels = "SELECT pg_advisory_xact_lock(1684237938, -1)";

/// Buckets in which models that are being erased still have something, each with one of these.
std::vector<std::pair<std::size_t, std::int64_t>> pg_buckets_to_erase(PgSession& session);

}  // namespace dcmrank::service
