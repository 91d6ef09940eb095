// Erasure in PostgreSQL. Whoever forgets something of a query has its bucket for himself meanwhile;
// what lists on their way here say of it is known by its epoch.
#include <utility>

#include "dcmrank/postgres/writer.h"

namespace dcmrank::service {
namespace {

constexpr const char* kForget =
    "UPDATE dcmrank.query SET epoch = epoch + 1, folds = folds + 1 WHERE bucket = $1::int8 AND "
    "model = $2::int8 AND key = $3::bytea";
constexpr const char* kForgetAll =
    "UPDATE dcmrank.query SET name = NULL, epoch = epoch + 1, folds = folds + 1, rounds = 0, "
    "base_rounds = 0, positions = '', base_positions = '' WHERE bucket = $1::int8 AND "
    "model = $2::int8 AND key = ANY($3::bytea[])";
constexpr const char* kDropQueries =
    "DELETE FROM dcmrank.query WHERE bucket = $1::int8 AND model = $2::int8 AND "
    "key = ANY($3::bytea[])";
constexpr const char* kAllDeltas =
    "DELETE FROM dcmrank.delta WHERE bucket = $1::int8 AND model = $2::int8 AND query = "
    "ANY($3::bytea[])";
constexpr const char* kAllItems =
    "DELETE FROM dcmrank.item WHERE bucket = $1::int8 AND model = $2::int8 AND query = "
    "ANY($3::bytea[])";
constexpr const char* kAllImpressions =
    "DELETE FROM dcmrank.impression AS i USING dcmrank.of_query AS l WHERE l.bucket = $1::int8 AND "
    "l.model = $2::int8 AND l.query = ANY($3::bytea[]) AND i.bucket = $1::int8 AND i.number = "
    "l.number "
    "RETURNING i.id, i.events";
constexpr const char* kAllPacks =
    "DELETE FROM dcmrank.pack WHERE bucket = $1::int8 AND model = $2::int8 AND query = "
    "ANY($3::bytea[])";
// Some of what a model that is being erased has in a bucket, with how many lists each has.
constexpr const char* kQueriesToErase =
    "SELECT q.key, (SELECT count(*) FROM dcmrank.of_query AS l WHERE l.bucket = q.bucket AND "
    "l.model = q.model AND l.query = q.key) FROM dcmrank.query AS q WHERE q.bucket = $1::int8 AND "
    "q.model = $2::int8 AND q.name IS NOT NULL LIMIT 100";
constexpr const char* kKeptModel = "10 minutes";  // until nobody can be writing to it any more

}  // namespace

void PgWriter::begin_alone(const QueryKey& key) { begin_alone(bucket_of(key.model, key.query)); }

void PgWriter::begin_alone(std::size_t bucket) {
  run("BEGIN");
  named_transaction_ = true;
  locked_ = bucket;
  run(kTakeBucket, PgParams().number(std::uint64_t{*locked_}));
}

void PgWriter::lock(const QueryKey& key) {
  if (named_transaction_) return;
  begin_alone(key);
  mark_ = {*locked_, ++nonce_};
  impressions_.clear();  // what was read before may have changed
  names_.clear();
}

void PgWriter::mark_for_wiping() {
  run("INSERT INTO dcmrank.meta(name, value) VALUES('to_wipe', 1) ON CONFLICT(name) DO UPDATE "
      "SET value = meta.value + 1");
}

void PgWriter::erase_rows(const QueryKey& key, bool keeps_epoch) {
  erase_rows(bucket_of(key.model, key.query), key.model, {text_key(key.query)}, keeps_epoch);
}

// `queries`: their keys, all of one bucket, which is locked.
void PgWriter::erase_rows(std::size_t bucket, std::int64_t model,
                          const std::vector<std::string>& queries, bool keeps_epoch) {
  const std::vector<std::string_view> keys(queries.begin(), queries.end());
  const PgParams place = PgParams().number(std::uint64_t{bucket}).number(model).texts(keys);
  PgGroup group = ask({{kAllImpressions, place},
                       {kAllPacks, place},
                       {kAllDeltas, place},
                       {kAllItems, place},
                       {keeps_epoch ? kForgetAll : kDropQueries, place}});
  group.check();
  const PgRows& gone = group.rows.front();
  std::vector<std::string> events;
  for (int n = 0; n < gone.size(); ++n) {
    if (!gone.is_null(n, 0)) {
      const std::string id(gone.text(n, 0));
      drop_names_.push_back({bucket, {parse_made_id(id) ? 0 : model, id}});
      drop_held_of_.push_back({bucket, {model, id}});
    }
    for (std::string& event : decode_texts(gone.text(n, 1))) events.push_back(std::move(event));
  }
  if (events.empty()) return;
  const std::vector<std::string_view> views(events.begin(), events.end());
  run("DELETE FROM dcmrank.event AS e USING unnest($3::bytea[]) AS u(id) WHERE "
      "e.bucket = $1::int8 AND e.model = $2::int8 AND e.id = u.id",
      PgParams().number(std::uint64_t{bucket}).number(model).texts(views));
}

void PgWriter::erase_query(const QueryKey& key) {
  lock(key);
  mark_for_wiping();
  erase_rows(key, true);
}

void PgWriter::erase_item(const QueryKey& key, std::string_view item) {
  lock(key);
  mark_for_wiping();
  if (!flush_named_transaction()) throw StorageError("another server was faster; try again");
  sum_up(key, [&](const std::string& name, Time) { return name == item; });
  run(kForget, pg_place(key));
  drop_held_items_.emplace_back(key.model, std::string(item));
}

void PgWriter::reset(const QueryKey& key) {
  lock(key);
  const std::string query = text_key(key.query);
  const std::vector<std::string_view> keys{query};
  const PgParams place = PgParams()
                             .number(std::uint64_t{bucket_of(key.model, key.query)})
                             .number(key.model)
                             .texts(keys);
  ask({{kAllDeltas, place},
       {kAllItems, place},
       {"UPDATE dcmrank.query SET folds = folds + 1, rounds = 0, base_rounds = 0, positions = '', "
        "base_positions = '' WHERE bucket = $1::int8 AND model = $2::int8 AND "
        "key = ANY($3::bytea[])",
        place}})
      .check();
}

// Before the transaction that erases the list, which is in another bucket. Should that fail, lists
// of this id that are on their way are not kept all the same.
void PgWriter::erase_id(std::int64_t model, std::string_view id) {
  if (named_transaction_) throw std::logic_error("an id is erased before its query is locked");
  run("INSERT INTO dcmrank.erased(bucket, model, id, number) VALUES($1::int8, $2::int8, $3::bytea, "
      "$4::int8) ON CONFLICT(bucket, model, id) DO UPDATE SET number = excluded.number, "
      "at = clock_timestamp()",
      PgParams()
          .number(std::uint64_t{bucket_of(model, id)})
          .number(model)
          .bytes(text_key(id))
          .number(++nonce_));
  looked_ = true;
}

bool PgWriter::erase_held(std::int64_t model, std::string_view id) {
  session();  // without one nothing is done
  try {
    const PgRows gone = run(
        "WITH gone AS (DELETE FROM dcmrank.held WHERE bucket = $1::int8 AND model = $2::int8 AND "
        "impression = $3::bytea RETURNING 1), noted AS (INSERT INTO dcmrank.erased(bucket, model, "
        "id, number) SELECT $1::int8, $2::int8, $4::bytea, $5::int8 WHERE EXISTS(SELECT 1 FROM "
        "gone) ON CONFLICT(bucket, model, id) DO UPDATE SET number = excluded.number, "
        "at = clock_timestamp()) SELECT 1 FROM gone",
        PgParams()
            .number(std::uint64_t{bucket_of(model, id)})
            .number(model)
            .bytes(id)
            .bytes(text_key(id))
            .number(++nonce_));
    looked_ = true;
    erased_apart_ = gone.size() > 0;
    if (erased_apart_) mark_for_wiping();
    return erased_apart_;
  } catch (const StorageError& error) {
    if (!session_->is_broken() && !erased_apart_) throw;
    throw UnsureError(error.reason());
  }
}

void PgWriter::drop_empty(const QueryKey& key) {
  lock(key);
  mark_for_wiping();
  if (!flush_named_transaction()) throw StorageError("another server was faster; try again");
  sum_up(key, nullptr);
  run("UPDATE dcmrank.query AS q SET name = NULL WHERE q.bucket = $1::int8 AND q.model = $2::int8 "
      "AND q.key = $3::bytea AND q.rounds = 0 AND q.base_rounds = 0 AND NOT EXISTS(SELECT 1 FROM "
      "dcmrank.item AS i WHERE i.bucket = q.bucket AND i.model = q.model AND i.query = q.key) AND "
      "(SELECT l.number FROM dcmrank.of_query AS l WHERE l.bucket = q.bucket AND "
      "l.model = q.model AND l.query = q.key LIMIT 1) IS NULL",
      pg_place(key));
}

void PgWriter::erase_model(std::int64_t model) {
  mark_for_wiping();
  run("WITH noted AS (INSERT INTO dcmrank.meta(name, value) VALUES('models', 1) "
      "ON CONFLICT(name) DO UPDATE SET value = meta.value + 1) "
      "UPDATE dcmrank.model SET name = NULL, erased = clock_timestamp() WHERE id = $1::int8",
      PgParams().number(model));
  run("DELETE FROM dcmrank.held WHERE model = $1::int8", PgParams().number(model));
  looked_ = true;
}

// Many queries of a bucket in one transaction, which takes some milliseconds. How many rows went.
std::size_t PgWriter::erase_of_bucket(std::size_t bucket, std::int64_t model, std::size_t most) {
  begin();
  begin_alone(bucket);
  const PgRows found = run(kQueriesToErase, PgParams().number(std::uint64_t{bucket}).number(model));
  std::vector<std::string> keys;
  std::size_t erased = 0;
  for (int n = 0; n < found.size() && erased < most; ++n) {
    keys.emplace_back(found.text(n, 0));
    erased += 1 + static_cast<std::size_t>(found.number(n, 1));
  }
  if (!keys.empty()) erase_rows(bucket, model, keys, false);
  commit();
  return erased;
}

// Bucket by bucket: a bucket's transaction waits for the disk once, however many queries it has.
// The model itself goes when nobody who knew it can still be writing.
bool PgWriter::erase_some(std::size_t most) {
  const auto buckets = pg_buckets_to_erase(session());
  std::size_t erased = 0;
  for (const auto& [bucket, model] : buckets) {
    if (erased >= most) return true;
    erased += erase_of_bucket(bucket, model, most - erased);
  }
  if (!buckets.empty()) return true;
  const PgRows gone =
      run("WITH forgotten AS (DELETE FROM dcmrank.query AS q USING dcmrank.model AS m WHERE "
          "q.model = m.id AND m.name IS NULL AND q.name IS NULL) "
          "DELETE FROM dcmrank.model WHERE name IS NULL AND erased < clock_timestamp() - "
          "convert_from($1::bytea, 'UTF8')::interval RETURNING id",
          PgParams().bytes(kKeptModel));
  if (gone.size() > 0) mark_for_wiping();
  return false;
}

// Queries and items that were not shown for long, and names that lead nowhere.
std::vector<QueryKey> PgWriter::trim(Time before, std::size_t most) {
  auto& [bucket, model, key] = trimmed_;
  const PgRows rows = ask_one(
      "SELECT q.bucket, q.model, q.key, q.name, (q.used < $4::int8 AND (SELECT l.number FROM "
      "dcmrank.of_query AS l WHERE l.bucket = q.bucket AND l.model = q.model AND l.query = q.key "
      "LIMIT 1) IS NULL)::int, EXISTS(SELECT 1 FROM dcmrank.item AS t WHERE t.bucket = q.bucket "
      "AND t.model = q.model AND t.query = q.key AND t.used < $4::int8)::int + EXISTS(SELECT 1 "
      "FROM "
      "dcmrank.delta AS d WHERE d.bucket = q.bucket AND d.model = q.model AND d.query = q.key AND "
      "d.at < $4::int8)::int "
      "FROM dcmrank.query AS q WHERE (q.bucket, q.model, q.key) > ($1::int8, $2::int8, $3::bytea) "
      "ORDER BY q.bucket, q.model, q.key LIMIT $5::int8",
      PgParams().number(bucket).number(model).bytes(key).number(before).number(
          std::uint64_t{most}));
  std::vector<QueryKey> changed;
  for (int n = 0; n < rows.size(); ++n) {
    trimmed_ = {rows.number(n, 0), rows.number(n, 1), std::string(rows.text(n, 2))};
    const bool unused = rows.number(n, 4) != 0;
    if (!unused && rows.number(n, 5) == 0) continue;
    if (rows.is_null(n, 3)) {  // it was forgotten long ago
      run("DELETE FROM dcmrank.query WHERE bucket = $1::int8 AND model = $2::int8 AND "
          "key = $3::bytea AND name IS NULL AND used < $4::int8",
          PgParams()
              .number(rows.number(n, 0))
              .number(rows.number(n, 1))
              .bytes(rows.text(n, 2))
              .number(before));
      continue;
    }
    QueryKey query{rows.number(n, 1), std::string(rows.text(n, 3))};
    begin();
    begin_alone(query);
    bool some = false;
    sum_up(query, [&](const std::string&, Time used) {
      some = some || used < before;
      return used < before;
    });
    const PgRows gone = run(
        "DELETE FROM dcmrank.query AS q WHERE q.bucket = $1::int8 AND q.model = $2::int8 AND "
        "q.key = $3::bytea AND q.used < $4::int8 AND (SELECT l.number FROM dcmrank.of_query AS l "
        "WHERE l.bucket = q.bucket AND l.model = q.model AND l.query = q.key LIMIT 1) IS NULL "
        "RETURNING 1",
        pg_place(query).number(before));
    if (gone.size() > 0) erase_rows(query, false);
    some = some || gone.size() > 0;
    commit();
    if (some) changed.push_back(std::move(query));
  }
  if (static_cast<std::size_t>(rows.size()) < most) trimmed_ = {-1, 0, ""};
  begin();
  run("WITH erased AS (DELETE FROM dcmrank.erased WHERE at < now() - interval '1 day') "
      "DELETE FROM dcmrank.done WHERE at < now() - interval '1 day'");
  for (const PgLooseName& name :
       pg_loose_names(session(), names_looked_at_, static_cast<std::int64_t>(most))) {
    if (name.is_stale()) pg_free_name(session(), name);
  }
  return changed;
}

}  // namespace dcmrank::service
