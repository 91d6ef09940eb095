// The part of the writer that sums up what was added, and sees what others added.
#include <algorithm>
#include <unordered_set>
#include <utility>

#include "dcmrank/postgres/writer.h"

namespace dcmrank::service {
namespace {

// Whoever sums up holds the query; those who add do not care.
constexpr const char* kHoldQuery =
    "SELECT rounds, base_rounds, positions, base_positions, used FROM dcmrank.query WHERE "
    "bucket = $1::int8 AND model = $2::int8 AND key = $3::bytea AND name IS NOT NULL FOR UPDATE";
constexpr const char* kDeltas =
    "SELECT id, target, at, sums FROM dcmrank.delta WHERE bucket = $1::int8 AND model = $2::int8 "
    "AND query = $3::bytea";
constexpr const char* kItems =
    "SELECT i.name, i.used, i.state, i.base FROM unnest($4::bytea[]) AS u(name) "
    "JOIN dcmrank.item AS i ON i.bucket = $1::int8 AND i.model = $2::int8 AND "
    "i.query = $3::bytea AND i.name = u.name";
constexpr const char* kPutItems =
    "INSERT INTO dcmrank.item(bucket, model, query, name, used, state, base) "
    "SELECT $1::int8, $2::int8, $3::bytea, u.name, u.used, u.state, u.base FROM "
    "unnest($4::bytea[], $5::int8[], $6::bytea[], $7::bytea[]) AS u(name, used, state, base) "
    "ON CONFLICT(bucket, model, query, name) DO UPDATE SET used = excluded.used, "
    "state = excluded.state, base = excluded.base";
constexpr const char* kDropItems =
    "DELETE FROM dcmrank.item AS i USING unnest($4::bytea[]) AS u(name) WHERE "
    "i.bucket = $1::int8 AND i.model = $2::int8 AND i.query = $3::bytea AND i.name = u.name";
constexpr const char* kDropDeltas =
    "DELETE FROM dcmrank.delta AS d USING unnest($4::int8[]) AS u(id) WHERE "
    "d.bucket = $1::int8 AND d.model = $2::int8 AND d.query = $3::bytea AND d.id = u.id";
constexpr const char* kPutQuery =
    "UPDATE dcmrank.query SET rounds = $4::int8, base_rounds = $5::int8, positions = $6::bytea, "
    "base_positions = $7::bytea, used = $8::int8, folds = folds + 1 WHERE bucket = $1::int8 AND "
    "model = $2::int8 AND key = $3::bytea";

struct ItemSums {
  Time used = 0;
  Row state;
  Row base;
};

void add_positions(std::vector<Row>& to, const std::vector<Row>& rows) {
  to.resize(std::max(to.size(), rows.size()));
  for (std::size_t k = 0; k < rows.size(); ++k) to[k].add(rows[k], 1);
}

}  // namespace

// In a transaction that was begun by name. Items that `drop_item` wants gone go. Whether the query
// is there.
bool PgWriter::sum_up(const QueryKey& key,
                      const std::function<bool(const std::string&, Time)>& drop_item) {
  const PgParams place = pg_place(key);
  PgGroup group = ask({{kHoldQuery, place}});
  group.check();
  if (group.rows[0].size() == 0) return false;
  const PgRows query = std::move(group.rows[0]);
  const PgRows deltas = ask_one(kDeltas, place);
  QueryDelta state{query.number(0, 0), decode_rows(query.text(0, 2)), {}};
  QueryDelta base{query.number(0, 1), decode_rows(query.text(0, 3)), {}};
  Time used = query.number(0, 4);
  std::vector<std::int64_t> ids;
  std::map<std::string, ItemSums, std::less<>> items;
  for (int n = 0; n < deltas.size(); ++n) {
    ids.push_back(deltas.number(n, 0));
    const QueryDelta delta = decode_delta(deltas.text(n, 3));
    const std::int64_t target = deltas.number(n, 1);
    const Time at = deltas.number(n, 2);
    for (const bool to_base : {false, true}) {
      if (target == (to_base ? 0 : 1)) continue;
      QueryDelta& to = to_base ? base : state;
      to.rounds += delta.rounds;
      add_positions(to.positions, delta.positions);
      for (const auto& [name, row] : delta.items) {
        ItemSums& sums = items[name];
        (to_base ? sums.base : sums.state).add(row, 1);
        if (!to_base) sums.used = std::max(sums.used, at);
      }
    }
    if (target != 1) used = std::max(used, at);
  }
  std::vector<std::string_view> names;
  for (const auto& [name, sums] : items) names.emplace_back(name);
  PgParams wanted = place;
  wanted.texts(names);
  const PgRows kept = ask_one(
      drop_item ? "SELECT name, used, state, base FROM dcmrank.item WHERE bucket = $1::int8 AND "
                  "model = $2::int8 AND query = $3::bytea"
                : kItems,
      drop_item ? place : wanted);
  for (int n = 0; n < kept.size(); ++n) {
    ItemSums& sums = items[std::string(kept.text(n, 0))];
    sums.used = std::max(sums.used, kept.number(n, 1));
    sums.state.add(parse_row(kept.text(n, 2)), 1);
    sums.base.add(parse_row(kept.text(n, 3)), 1);
  }
  std::vector<std::string> blobs;
  blobs.reserve(2 * items.size());
  std::vector<std::string_view> put, states, bases, dropped;
  std::vector<std::int64_t> times;
  for (const auto& [name, sums] : items) {
    const bool nothing = sums.state.empty() && sums.base.empty();
    if (nothing || (drop_item && drop_item(name, sums.used))) {
      dropped.emplace_back(name);
      continue;
    }
    put.emplace_back(name);
    times.push_back(sums.used);
    states.emplace_back(blobs.emplace_back(row_blob(sums.state)));
    bases.emplace_back(blobs.emplace_back(row_blob(sums.base)));
  }
  PgParams items_put = place;
  items_put.texts(put).numbers(times).texts(states).texts(bases);
  PgParams items_dropped = place;
  items_dropped.texts(dropped);
  PgParams deltas_dropped = place;
  deltas_dropped.numbers(ids);
  PgParams query_put = place;
  query_put.number(state.rounds)
      .number(base.rounds)
      .bytes(encode(state.positions))
      .bytes(encode(base.positions))
      .number(used);
  ask({{kPutItems, items_put},
       {kDropItems, items_dropped},
       {kDropDeltas, deltas_dropped},
       {kPutQuery, query_put}})
      .check();
  return true;
}

// Somebody else may be at it, or a server may go away in between: another time will do.
void PgWriter::fold(const QueryKey& key) {
  rollback();
  const auto bucket = static_cast<std::uint64_t>(bucket_of(key.model, key.query));
  named_transaction_ = true;
  run("BEGIN");
  PgGroup group = ask({{kShareBucket, PgParams().number(bucket)}});
  if (!group.failed()) sum_up(key, nullptr);
  if (group.failed() || session_->is_broken()) return rollback();
  session_->run("COMMIT");
  named_transaction_ = false;
  clear();
}

std::vector<StoreWriter::News> PgWriter::refresh(std::span<const Known> queries) {
  std::vector<std::int64_t> buckets, models;
  std::vector<std::string> keys;
  keys.reserve(queries.size());
  std::vector<std::string_view> views;
  for (const Known& query : queries) {
    buckets.push_back(static_cast<std::int64_t>(bucket_of(query.key->model, query.key->query)));
    models.push_back(query.key->model);
    views.emplace_back(keys.emplace_back(text_key(query.key->query)));
  }
  const PgRows rows = ask_one(
      "SELECT u.n, q.epoch, q.folds, d.id FROM unnest($1::int8[], $2::int8[], $3::bytea[]) "
      "WITH ORDINALITY AS u(bucket, model, key, n) JOIN dcmrank.query AS q ON "
      "q.bucket = u.bucket AND q.model = u.model AND q.key = u.key LEFT JOIN dcmrank.delta AS d "
      "ON d.bucket = q.bucket AND d.model = q.model AND d.query = q.key",
      PgParams().numbers(buckets).numbers(models).texts(views));
  struct Seen {
    bool there = false;
    bool same = false;
    std::size_t known = 0;
    std::vector<std::uint64_t> unknown;
  };
  std::vector<Seen> seen(queries.size());
  std::vector<std::unordered_set<std::uint64_t>> known(queries.size());
  for (int n = 0; n < rows.size(); ++n) {
    const auto of = static_cast<std::size_t>(rows.number(n, 0) - 1);
    const Standing& standing = *queries[of].standing;
    Seen& look = seen[of];
    if (!look.there) known[of].insert(standing.deltas.begin(), standing.deltas.end());
    look.there = true;
    look.same = standing.epoch == static_cast<std::uint64_t>(rows.number(n, 1)) &&
                standing.folds == static_cast<std::uint64_t>(rows.number(n, 2));
    if (rows.is_null(n, 3)) continue;
    const auto id = static_cast<std::uint64_t>(rows.number(n, 3));
    if (known[of].contains(id)) {
      ++look.known;
    } else {
      look.unknown.push_back(id);
    }
  }
  std::vector<News> news;
  std::vector<std::size_t> place(queries.size());
  std::vector<std::int64_t> delta_of, delta_buckets, delta_models, delta_ids;
  std::vector<std::string_view> delta_keys;
  for (std::size_t of = 0; of < queries.size(); ++of) {
    const Standing& standing = *queries[of].standing;
    const bool whole = seen[of].there ? seen[of].same && seen[of].known == standing.deltas.size()
                                      : standing.folds == 0 && standing.deltas.empty();
    if (whole && seen[of].unknown.empty()) continue;
    place[of] = news.size();
    news.push_back({of, !whole, {}});
    if (!whole) continue;
    for (const std::uint64_t id : seen[of].unknown) {
      delta_of.push_back(static_cast<std::int64_t>(of));
      delta_buckets.push_back(buckets[of]);
      delta_models.push_back(models[of]);
      delta_keys.push_back(views[of]);
      delta_ids.push_back(static_cast<std::int64_t>(id));
    }
  }
  if (delta_of.empty()) return news;
  const PgRows added = ask_one(
      "SELECT u.n, d.id, d.target, d.sums FROM unnest($1::int8[], $2::int8[], $3::int8[], "
      "$4::bytea[], $5::int8[]) AS u(n, bucket, model, key, id) JOIN dcmrank.delta AS d ON "
      "d.bucket = u.bucket AND d.model = u.model AND d.query = u.key AND d.id = u.id",
      PgParams()
          .numbers(delta_of)
          .numbers(delta_buckets)
          .numbers(delta_models)
          .texts(delta_keys)
          .numbers(delta_ids));
  for (int n = 0; n < added.size(); ++n) {
    const auto of = static_cast<std::size_t>(added.number(n, 0));
    // What no impression accounts for is known only to a recount.
    news[place[of]].deltas.emplace_back(
        static_cast<std::uint64_t>(added.number(n, 1)),
        added.number(n, 2) == 1 ? QueryDelta() : decode_delta(added.text(n, 3)));
  }
  return news;
}

}  // namespace dcmrank::service
