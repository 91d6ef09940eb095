// What a recount reads: all there is, a piece at a time, so that no statement takes long however
// much that is.
#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "dcmrank/base/text.h"
#include "dcmrank/pg_schema/names.h"
#include "dcmrank/postgres/reads.h"

namespace dcmrank::service {
namespace {

constexpr int kPiece = 1000;  // impressions

constexpr const char* kNumbersOfQuery =
    "SELECT number FROM dcmrank.of_query WHERE bucket = $1::int8 AND model = $2::int8 AND "
    "query = $3::bytea ORDER BY number";

// Of one bucket each.
struct Rule {
  const char* sql;
  const char* fault;
};
constexpr auto kRules = std::to_array<Rule>({
    {"SELECT i.number FROM dcmrank.impression AS i LEFT JOIN dcmrank.query AS q ON "
     "q.bucket = i.bucket AND q.model = i.model AND q.key = i.query WHERE i.bucket = $1::int8 AND "
     "q.name IS NULL LIMIT 5",
     "impression {} has no query"},
    {"SELECT i.number FROM dcmrank.impression AS i WHERE i.bucket = $1::int8 AND "
     "i.bucket <> (i.number & 255) LIMIT 5",
     "impression {} is not in its bucket"},
    {"SELECT i.number FROM dcmrank.impression AS i WHERE i.bucket = $1::int8 AND i.packed EXCEPT "
     "SELECT unnest(p.numbers) FROM dcmrank.pack AS p WHERE p.bucket = $1::int8 LIMIT 5",
     "impression {} is in no pack"},
    {"SELECT t.bucket FROM dcmrank.item AS t LEFT JOIN dcmrank.query AS q ON "
     "q.bucket = t.bucket AND q.model = t.model AND q.key = t.query WHERE t.bucket = $1::int8 AND "
     "q.name IS NULL LIMIT 5",
     "an item in bucket {} has no query"},
    {"SELECT d.bucket FROM dcmrank.delta AS d LEFT JOIN dcmrank.query AS q ON "
     "q.bucket = d.bucket AND q.model = d.model AND q.key = d.query WHERE d.bucket = $1::int8 AND "
     "q.name IS NULL LIMIT 5",
     "an addition in bucket {} has no query"},
    {"SELECT q.bucket FROM dcmrank.query AS q LEFT JOIN dcmrank.model AS m ON m.id = q.model "
     "WHERE q.bucket = $1::int8 AND m.id IS NULL AND (q.name IS NOT NULL)::int = 1 LIMIT 5",
     "a query in bucket {} has no model"},
});
constexpr const char* kModelNames = "SELECT id, name FROM dcmrank.model WHERE name IS NOT NULL";
constexpr const char* kErasing =
    "SELECT DISTINCT m.id FROM dcmrank.query AS q JOIN dcmrank.model AS m ON m.id = q.model WHERE "
    "q.bucket = $1::int8 AND m.name IS NULL";

}  // namespace

bool pg_recount(PgSession& session, bool alone, const QueryKey& key, QueryState& state,
                QueryState& base, const std::function<void(const Impression&)>& each) {
  if (alone) session.run("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY");
  PgQuery query = pg_query(session.run(kPgLoad, pg_place(key).number(std::int64_t{1})));
  state = std::move(query.state);
  base = std::move(query.base);  // before the impressions: whoever counts may add them to it
  const PgRows all = query.known ? session.run(kNumbersOfQuery, pg_place(key)) : PgRows();
  for (int from = 0; from < all.size(); from += kPiece) {
    std::vector<std::int64_t> some;
    for (int n = from; n < std::min(from + kPiece, all.size()); ++n) {
      some.push_back(all.number(n, 0));
    }
    const PgRows rows = session.run(kPgFindImpressions, PgParams().numbers(some));
    for (int n = 0; n < rows.size(); ++n) each(pg_impression(rows, n));
  }
  if (alone) session.run("COMMIT");
  return query.known;
}

std::vector<std::string> pg_check(PgSession& session) {
  std::vector<std::string> faults;
  for (std::uint64_t bucket = 0; bucket < kBuckets; ++bucket) {
    for (const auto& [sql, fault] : kRules) {
      const PgRows rows = session.run(sql, PgParams().number(bucket));
      for (int n = 0; n < rows.size(); ++n) {
        faults.push_back(fmt::format(fmt::runtime(fault), rows.number(n, 0)));
      }
    }
  }
  return faults;
}

std::vector<std::string> pg_unfinished(PgSession& session) {
  const PgRows models = session.run(kModelNames);
  const auto name_of = [&](std::int64_t id) -> std::string {
    for (int n = 0; n < models.size(); ++n) {
      if (models.number(n, 0) == id) return fmt::format(" of model {}", quote(models.text(n, 1)));
    }
    return {};
  };
  std::vector<std::string> lines;
  std::set<std::int64_t> erasing;
  for (std::uint64_t bucket = 0; bucket < kBuckets; ++bucket) {
    const PgRows rows = session.run(kErasing, PgParams().number(bucket));
    for (int n = 0; n < rows.size(); ++n) erasing.insert(rows.number(n, 0));
  }
  lines.reserve(erasing.size());
  for (const std::int64_t model : erasing) lines.push_back(being_erased(model));
  PgNamePlace place = kFirstName;
  do {
    for (const PgLooseName& name : pg_loose_names(session, place, kPiece)) {
      lines.push_back(fmt::format(
          "id {}{} has no list: {}", quote(name.id), name_of(name.model),
          name.is_stale() ? "its server was stopped before it stored it; the id is free, and a "
                            "server that runs removes it"
                          : "it is on its way, or its server was just stopped"));
    }
  } while (place != kFirstName);
  return lines;
}

}  // namespace dcmrank::service
