#include "dcmrank/pg_schema/schema.h"

#include <array>

#include <fmt/format.h>

#include "dcmrank/base/error.h"

namespace dcmrank::service {
namespace {

// Everything of a query is in its bucket (ledger/bucket.h), and so is all that a caller's own id
// leads to: the bucket is the first column of every key, and what a table is distributed by. Only
// `meta` and `model`, which are small and seldom written, are not. Texts are bytea: any bytes may
// stand in them, and their order is that of the bytes.
//
// A query without a name was forgotten: its epoch stays, so that lists that were ranked before, and
// are still on their way, are known by their epoch. `delta` holds what was added to a query and not
// yet summed up; `target`: 0 into what is known, 1 into what no recorded impression accounts for,
// 2 into both.
constexpr const char* kLayoutOne = R"(
CREATE SCHEMA IF NOT EXISTS dcmrank;
CREATE TABLE dcmrank.meta(name text PRIMARY KEY, value bigint NOT NULL);
CREATE TABLE dcmrank.model(id bigint PRIMARY KEY, name bytea UNIQUE, policy bytea NOT NULL,
  kept bytea NOT NULL, learned_anew bigint NOT NULL, k bigint NOT NULL, close_after bigint NOT NULL,
  shadow bigint NOT NULL, erased timestamptz);
CREATE TABLE dcmrank.start(bucket integer NOT NULL, id bigint NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp(), PRIMARY KEY(bucket, id));
CREATE TABLE dcmrank.query(bucket integer NOT NULL, model bigint NOT NULL, key bytea NOT NULL,
  name bytea, epoch bigint NOT NULL DEFAULT 0, folds bigint NOT NULL DEFAULT 0, used bigint NOT NULL,
  rounds bigint NOT NULL DEFAULT 0, base_rounds bigint NOT NULL DEFAULT 0,
  positions bytea NOT NULL DEFAULT '', base_positions bytea NOT NULL DEFAULT '',
  PRIMARY KEY(bucket, model, key)) WITH (fillfactor = 80);
CREATE INDEX query_by_name ON dcmrank.query(model, name) WHERE name IS NOT NULL;
CREATE TABLE dcmrank.item(bucket integer NOT NULL, model bigint NOT NULL, query bytea NOT NULL,
  name bytea NOT NULL, used bigint NOT NULL, state bytea NOT NULL, base bytea NOT NULL,
  PRIMARY KEY(bucket, model, query, name)) WITH (fillfactor = 80);
CREATE TABLE dcmrank.delta(bucket integer NOT NULL, model bigint NOT NULL, query bytea NOT NULL,
  id bigint NOT NULL, target smallint NOT NULL, at bigint NOT NULL, rounds bigint NOT NULL,
  sums bytea NOT NULL, PRIMARY KEY(bucket, model, query, id));
CREATE TABLE dcmrank.impression(bucket integer NOT NULL, number bigint NOT NULL,
  word bigint NOT NULL, model bigint NOT NULL, query bytea NOT NULL,
  revision bigint NOT NULL DEFAULT 0, made bigint NOT NULL, news bigint NOT NULL, due bigint,
  state smallint NOT NULL DEFAULT 0, seen bigint, id bytea, page bytea NOT NULL, clicks bytea,
  contribution bytea, events bytea, PRIMARY KEY(bucket, number)) WITH (fillfactor = 70);
CREATE INDEX impression_due ON dcmrank.impression(due) WHERE due IS NOT NULL;
CREATE INDEX impression_of_query ON dcmrank.impression(bucket, model, query);
CREATE INDEX impression_made ON dcmrank.impression(made, number) WHERE state <> 0;
CREATE TABLE dcmrank.event(bucket integer NOT NULL, model bigint NOT NULL, id bytea NOT NULL,
  hash bytea NOT NULL, PRIMARY KEY(bucket, model, id));
CREATE TABLE dcmrank.named(bucket integer NOT NULL, model bigint NOT NULL, id bytea NOT NULL,
  number bigint NOT NULL, at timestamptz NOT NULL DEFAULT clock_timestamp(), body bytea NOT NULL,
  answer bytea NOT NULL, PRIMARY KEY(bucket, model, id));
CREATE TABLE dcmrank.held(bucket integer NOT NULL, model bigint NOT NULL, impression bytea NOT NULL,
  number bigint NOT NULL, caller bytea NOT NULL, until bigint NOT NULL, item bytea NOT NULL,
  body bytea NOT NULL, PRIMARY KEY(bucket, model, impression, number));
CREATE INDEX held_until ON dcmrank.held(until);
CREATE FUNCTION dcmrank.expect(counted bigint, wanted bigint) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  IF counted <> wanted THEN
    RAISE EXCEPTION 'somebody else was faster' USING ERRCODE = '40001';
  END IF;
  RETURN counted;
END $$;
)";

// Lists of one query that are stored together are a pack: their numbers are a row of `pack`, which
// stands for an entry of each in the indexes of what is due and of what a query has. They leave it
// (`packed`) when they close, or are to close at another time than the rest. Whoever looks for the
// lists of a query looks at `of_query`, packs first by their key, then each list by its number.
constexpr const char* kLayoutTwo = R"(
ALTER TABLE dcmrank.impression ADD COLUMN packed boolean NOT NULL DEFAULT false;
CREATE TABLE dcmrank.pack(bucket integer NOT NULL, model bigint NOT NULL, query bytea NOT NULL,
  id bigint NOT NULL, made bigint NOT NULL, due bigint NOT NULL, numbers bigint[] NOT NULL,
  PRIMARY KEY(bucket, model, query, id));
CREATE INDEX pack_due ON dcmrank.pack(due);
CREATE INDEX impression_unpacked ON dcmrank.impression(bucket, model, query) WHERE NOT packed;
DROP INDEX dcmrank.impression_of_query;
CREATE VIEW dcmrank.of_query AS SELECT bucket, model, query, number FROM dcmrank.impression
  WHERE NOT packed UNION ALL SELECT p.bucket, p.model, p.query, i.number FROM dcmrank.pack AS p
  CROSS JOIN LATERAL unnest(p.numbers) AS n(number) CROSS JOIN LATERAL (SELECT i.number FROM
  dcmrank.impression AS i WHERE i.bucket = p.bucket AND i.number = n.number AND i.packed OFFSET 0)
  AS i;
)";

// `erased`: by a hash of its id, that a list was erased, and each time by another number: whoever
// ranked a list of this id before does not know that number. `done`: that a change was made.
constexpr const char* kLayoutThree = R"(
CREATE TABLE dcmrank.erased(bucket integer NOT NULL, model bigint NOT NULL, id bytea NOT NULL,
  number bigint NOT NULL, at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY(bucket, model, id));
CREATE INDEX erased_at ON dcmrank.erased(at);
CREATE TABLE dcmrank.done(bucket integer NOT NULL, id bigint NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp(), PRIMARY KEY(bucket, id));
CREATE INDEX done_at ON dcmrank.done(at);
)";

// From each layout to the next; a step is never changed once it was released.
constexpr std::array<const char*, kPgLayout> kSteps{kLayoutOne, kLayoutTwo, kLayoutThree};

// "dcmrank" in a number that no other program is likely to lock.
constexpr const char* kLock = "SELECT pg_advisory_xact_lock(7236833204912352107)";

struct Layout {
  bool there = false;   // whatever version it says
  bool others = false;  // tables beside the one that says it
  int version = 0;
  int least = 0;  // that a program must know to work with it
};

// By the catalogue's tables: a look-up by name may still be of before the lock.
Layout layout_of(PgSession& session) {
  const PgRows there = session.run(
      "SELECT count(*) FILTER (WHERE c.relname = 'meta'), count(*) FROM pg_class AS c JOIN "
      "pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = 'dcmrank' AND "
      "c.relkind IN ('r', 'p', 'v', 'm', 'f')");
  Layout layout;
  layout.there = there.number(0, 0) != 0;
  layout.others = there.number(0, 1) > there.number(0, 0);
  if (!layout.there) return layout;
  const PgRows rows = session.run(
      "SELECT (name = 'least')::int, value FROM dcmrank.meta WHERE name IN ('layout', 'least')");
  for (int n = 0; n < rows.size(); ++n) {
    (rows.number(n, 0) == 1 ? layout.least : layout.version) = static_cast<int>(rows.number(n, 1));
  }
  return layout;
}

void refuse_others(const Layout& layout) {
  if (!layout.there && layout.others) {
    throw InputError(
        "the database has tables in a schema dcmrank, but not dcmrank.meta, which says their "
        "layout: they are damaged, or another program's; they are left unchanged");
  }
  if (layout.there && layout.version < 1) {
    throw InputError(
        "the database has a table dcmrank.meta without a layout version that dcmrank wrote: it is "
        "damaged, or another program's; it is left unchanged");
  }
  if (layout.least <= kPgLayout) return;
  throw InputError(
      fmt::format("the database has layout version {}; this dcmrank knows versions up to {}; it is "
                  "left unchanged",
                  layout.version, kPgLayout));
}

// In one transaction, under the lock.
int migrate(PgSession& session) {
  session.run("BEGIN");
  session.run("SET LOCAL lock_timeout = 0");
  session.run("SET LOCAL statement_timeout = 0");  // an index of many lists takes its time
  session.run("SET LOCAL idle_in_transaction_session_timeout = '60s'");
  session.run(kLock);
  const Layout before = layout_of(session);
  refuse_others(before);
  for (int layout = before.version; layout < kPgLayout; ++layout) {
    session.pipeline(false);
    session.script(kSteps.at(static_cast<std::size_t>(layout)));
    session.pipeline(true);
  }
  if (before.version < kPgLayout) {
    session.run(
        "INSERT INTO dcmrank.meta(name, value) VALUES('layout', $1::int8), ('least', $2::int8) "
        "ON CONFLICT(name) DO UPDATE SET value = excluded.value",
        PgParams().number(std::int64_t{kPgLayout}).number(std::int64_t{kPgLeast}));
  }
  session.run("SELECT set_config('synchronous_commit', convert_from($1::bytea, 'UTF8'), true)",
              PgParams().bytes(session.durable()));
  session.run("COMMIT");
  return before.version < kPgLayout ? before.version : 0;
}

}  // namespace

int prepare_tables(PgSession& session) {
  const Layout layout = layout_of(session);
  refuse_others(layout);
  return layout.version >= kPgLayout ? 0 : migrate(session);
}

// Drawn, not counted: no number that all share.
std::uint64_t note_start(PgSession& session) {
  constexpr std::uint64_t kMost = (std::uint64_t{1} << 23U) - 1;
  for (;;) {
    const std::uint64_t start = 1 + process_secret() % kMost;
    const PgRows rows = session.run(
        "INSERT INTO dcmrank.start(bucket, id) VALUES($1::int8 & 255, $1::int8) "
        "ON CONFLICT DO NOTHING RETURNING 1",
        PgParams().number(start));
    if (rows.size() == 1) return start;
  }
}

void check_tables(PgSession& session) {
  const Layout layout = layout_of(session);
  refuse_others(layout);
  if (layout.version == 0) throw InputError("the database has no dcmrank tables");
  if (layout.version < kPgLayout) {
    throw InputError(
        fmt::format("the database has layout version {}; dcmrank serve brings it to {}",
                    layout.version, kPgLayout));
  }
}

}  // namespace dcmrank::service
