#include "dcmrank/pg_schema/buckets.h"

#include "dcmrank/ledger/bucket.h"
#include "dcmrank/libpq/params.h"

namespace dcmrank::service {
namespace {

// One of each bucket in which models that are being erased still have something.
constexpr const char* kBucketsToErase =
    "SELECT f.bucket, f.model FROM generate_series(0, $1::int8 - 1) AS b, LATERAL (SELECT "
    "q.bucket, q.model FROM dcmrank.query AS q WHERE q.bucket = b AND q.model = ANY($2::int8[]) "
    "AND q.name IS NOT NULL LIMIT 1) AS f";

}  // namespace

std::vector<std::pair<std::size_t, std::int64_t>> pg_buckets_to_erase(PgSession& session) {
  const PgRows nameless = session.run("SELECT id FROM dcmrank.model WHERE name IS NULL");
  std::vector<std::int64_t> models;
  models.reserve(static_cast<std::size_t>(nameless.size()));
  for (int n = 0; n < nameless.size(); ++n) models.push_back(nameless.number(n, 0));
  std::vector<std::pair<std::size_t, std::int64_t>> result;
  if (models.empty()) return result;
  const PgRows found =
      session.run(kBucketsToErase, PgParams().number(std::uint64_t{kBuckets}).numbers(models));
  for (int n = 0; n < found.size(); ++n) {
    result.emplace_back(static_cast<std::size_t>(found.number(n, 0)), found.number(n, 1));
  }
  return result;
}

}  // namespace dcmrank::service
