// The part of the writer that sums up what was added. Whoever does has read what he sums up without
// a lock, and is told where somebody else was faster (`folds`, the number of rows that go).
#include <algorithm>
#include <array>
#include <utility>

#include "dcmrank/postgres/writer.h"

namespace dcmrank::service {
namespace {

constexpr std::size_t kAtOnce = 100;  // queries

constexpr const char* kQueries =
    "SELECT u.n, q.epoch, q.folds, q.used, q.rounds, q.base_rounds, q.positions, q.base_positions "
    "FROM unnest($1::int8[], $2::int8[], $3::bytea[]) WITH ORDINALITY AS u(bucket, model, key, n) "
    "JOIN dcmrank.query AS q ON q.bucket = u.bucket AND q.model = u.model AND q.key = u.key AND "
    "(q.name IS NOT NULL)::int = 1";
constexpr const char* kDeltas =
    "SELECT u.n, d.id, d.target, d.at, d.sums FROM unnest($1::int8[], $2::int8[], $3::bytea[]) "
    "WITH ORDINALITY AS u(bucket, model, key, n) JOIN dcmrank.delta AS d ON d.bucket = u.bucket "
    "AND d.model = u.model AND d.query = u.key";
constexpr const char* kItems =
    "SELECT u.n, i.name, i.used, i.state, i.base FROM unnest($1::int8[], $2::int8[], $3::int8[], "
    "$4::bytea[], $5::bytea[]) AS u(n, bucket, model, key, name) JOIN dcmrank.item AS i ON "
    "i.bucket = u.bucket AND i.model = u.model AND i.query = u.key AND i.name = u.name";
constexpr const char* kEveryItem =
    "SELECT u.n, i.name, i.used, i.state, i.base FROM unnest($1::int8[], $2::int8[], "
    "$3::bytea[]) WITH ORDINALITY AS u(bucket, model, key, n) JOIN dcmrank.item AS i ON "
    "i.bucket = u.bucket AND i.model = u.model AND i.query = u.key";

constexpr const char* kPutQuery =
    "WITH put AS (UPDATE dcmrank.query SET rounds = $4::int8, base_rounds = $5::int8, "
    "positions = $6::bytea, base_positions = $7::bytea, used = $8::int8, folds = folds + 1 WHERE "
    "bucket = $1::int8 AND model = $2::int8 AND key = $3::bytea AND folds = $9::int8 RETURNING 1) "
    "SELECT dcmrank.expect(count(*), 1) FROM put";
constexpr const char* kDropDeltas =
    "WITH gone AS (DELETE FROM dcmrank.delta AS d USING unnest($4::int8[]) AS u(id) WHERE "
    "d.bucket = $1::int8 AND d.model = $2::int8 AND d.query = $3::bytea AND d.id = u.id "
    "RETURNING 1) SELECT dcmrank.expect(count(*), $5::int8) FROM gone";
constexpr const char* kPutItems =
    "INSERT INTO dcmrank.item(bucket, model, query, name, used, state, base) "
    "SELECT $1::int8, $2::int8, $3::bytea, u.name, u.used, u.state, u.base FROM "
    "(SELECT unnest($4::bytea[]) AS name, unnest($5::int8[]) AS used, unnest($6::bytea[]) AS "
    "state, "
    "unnest($7::bytea[]) AS base) AS u ON CONFLICT(bucket, model, query, name) DO UPDATE SET "
    "used = excluded.used, state = excluded.state, base = excluded.base";
constexpr const char* kDropItems =
    "DELETE FROM dcmrank.item AS i USING unnest($4::bytea[]) AS u(name) WHERE "
    "i.bucket = $1::int8 AND i.model = $2::int8 AND i.query = $3::bytea AND i.name = u.name";

void add_positions(std::vector<Row>& to, const std::vector<Row>& rows) {
  to.resize(std::max(to.size(), rows.size()));
  for (std::size_t k = 0; k < rows.size(); ++k) to[k].add(rows[k], 1);
}

std::size_t place_of(const PgRows& rows, int row) {
  return static_cast<std::size_t>(rows.number(row, 0) - 1);
}

// Bucket, model and key of queries, for the first three parameters.
struct Places {
  std::vector<std::int64_t> buckets;
  std::vector<std::int64_t> models;
  std::vector<std::string> keys;

  explicit Places(std::span<const QueryKey> queries) {
    for (const QueryKey& query : queries) {
      buckets.push_back(static_cast<std::int64_t>(bucket_of(query.model, query.query)));
      models.push_back(query.model);
      keys.push_back(text_key(query.query));
    }
  }
  PgParams params() const {
    const std::vector<std::string_view> views(keys.begin(), keys.end());
    return PgParams().numbers(buckets).numbers(models).texts(views);
  }
};

}  // namespace

std::vector<std::uint64_t> PgWriter::rounds(std::span<const QueryKey> keys) {
  const PgRows rows = ask_one(
      "SELECT u.n, q.rounds + coalesce((SELECT sum(d.rounds) FROM dcmrank.delta AS d WHERE "
      "d.bucket = q.bucket AND d.model = q.model AND d.query = q.key AND d.target <> 1), 0)::int8 "
      "FROM unnest($1::int8[], $2::int8[], $3::bytea[]) WITH ORDINALITY AS u(bucket, model, key, "
      "n) JOIN dcmrank.query AS q ON q.bucket = u.bucket AND q.model = u.model AND q.key = u.key",
      Places(keys).params());
  std::vector<std::uint64_t> result(keys.size());
  for (int n = 0; n < rows.size(); ++n) {
    result[place_of(rows, n)] = static_cast<std::uint64_t>(rows.number(n, 1));
  }
  return result;
}

void PgWriter::Sum::add(std::uint64_t id, std::int64_t target, Time at, QueryDelta delta) {
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
  if (target == 1) delta = {};  // what no impression accounts for is known only to a recount
  deltas.emplace_back(id, std::move(delta));
}

void PgWriter::Sum::read(const std::function<void()>& part) {
  try {
    part();
  } catch (const std::runtime_error& error) {
    damage = error.what();
  }
}

// What there is of queries, and would be once it is summed up.
std::vector<PgWriter::Sum> PgWriter::read_sums(std::span<const QueryKey> keys, bool all_items) {
  const Places places(keys);
  const PgParams wanted = places.params();
  const PgGroup group = ask({{kQueries, wanted}, {kDeltas, wanted}});
  group.check();
  std::vector<Sum> sums(keys.size());
  const PgRows& queries = group.rows[0];
  for (int n = 0; n < queries.size(); ++n) {
    Sum& sum = sums[place_of(queries, n)];
    sum.known = true;
    sum.epoch = static_cast<std::uint64_t>(queries.number(n, 1));
    sum.folds = queries.number(n, 2);
    sum.used = queries.number(n, 3);
    sum.read([&] {
      sum.state = {queries.number(n, 4), decode_rows(queries.text(n, 6)), {}};
      sum.base = {queries.number(n, 5), decode_rows(queries.text(n, 7)), {}};
    });
  }
  const PgRows& deltas = group.rows[1];
  for (int n = 0; n < deltas.size(); ++n) {
    Sum& sum = sums[place_of(deltas, n)];
    sum.read([&] {
      sum.add(static_cast<std::uint64_t>(deltas.number(n, 1)), deltas.number(n, 2),
              deltas.number(n, 3), decode_delta(deltas.text(n, 4)));
    });
  }
  std::vector<std::int64_t> of;
  std::vector<std::int64_t> buckets;
  std::vector<std::int64_t> models;
  std::vector<std::string_view> theirs;
  std::vector<std::string_view> names;
  for (std::size_t q = 0; q < sums.size(); ++q) {
    for (const auto& [name, item] : sums[q].items) {
      of.push_back(static_cast<std::int64_t>(q + 1));
      buckets.push_back(places.buckets[q]);
      models.push_back(places.models[q]);
      theirs.emplace_back(places.keys[q]);
      names.emplace_back(name);
    }
  }
  const PgRows items =
      all_items
          ? ask_one(kEveryItem, wanted)
          : ask_one(
                kItems,
                PgParams().numbers(of).numbers(buckets).numbers(models).texts(theirs).texts(names));
  for (int n = 0; n < items.size(); ++n) {
    Sum& sum = sums[place_of(items, n)];
    sum.read([&] {
      ItemSums& item = sum.items[std::string(items.text(n, 1))];
      item.used = std::max(item.used, items.number(n, 2));
      item.state.add(parse_row(items.text(n, 3)), 1);
      item.base.add(parse_row(items.text(n, 4)), 1);
    });
  }
  return sums;
}

void PgWriter::send_sum(const QueryKey& key, const Sum& sum, const DropItem& drop_item) {
  const PgParams place = pg_place(key);
  std::vector<std::string> blobs;
  blobs.reserve(2 * sum.items.size());
  std::vector<std::string_view> put;
  std::vector<std::string_view> states;
  std::vector<std::string_view> bases;
  std::vector<std::string_view> dropped;
  std::vector<std::int64_t> times;
  std::vector<std::int64_t> ids;
  for (const auto& [name, item] : sum.items) {
    const bool nothing = item.state.empty() && item.base.empty();
    if (nothing || (drop_item && drop_item(name, item.used))) {
      dropped.emplace_back(name);
      continue;
    }
    put.emplace_back(name);
    times.push_back(item.used);
    states.emplace_back(blobs.emplace_back(row_blob(item.state)));
    bases.emplace_back(blobs.emplace_back(row_blob(item.base)));
  }
  for (const auto& [id, delta] : sum.deltas) ids.push_back(static_cast<std::int64_t>(id));
  session_->send(kPutQuery, PgParams(place)
                                .number(sum.state.rounds)
                                .number(sum.base.rounds)
                                .bytes(encode(sum.state.positions))
                                .bytes(encode(sum.base.positions))
                                .number(sum.used)
                                .number(sum.folds));
  if (!ids.empty()) {
    session_->send(kDropDeltas, PgParams(place).numbers(ids).number(std::uint64_t{ids.size()}));
  }
  if (!put.empty()) {
    session_->send(kPutItems, PgParams(place).texts(put).numbers(times).texts(states).texts(bases));
  }
  if (!dropped.empty()) session_->send(kDropItems, PgParams(place).texts(dropped));
}

// In a transaction that was begun by name. Items that `drop_item` wants gone go. Whether the query
// is there.
bool PgWriter::sum_up(const QueryKey& key, const DropItem& drop_item) {
  const Sum sum = std::move(read_sums({&key, 1}, drop_item != nullptr).front());
  if (!sum.known) return false;
  if (!sum.damage.empty()) throw std::runtime_error(sum.damage);
  send_sum(key, sum, drop_item);
  session_->sync();
  session_->collect().front().check();
  return true;
}

// Where few are left somebody else has done it; what is damaged, or cannot be written, stays as it
// is: it is added up whenever it is read.
std::vector<StoreWriter::Folded> PgWriter::fold(std::span<const QueryKey> keys, std::size_t least) {
  rollback();
  std::vector<Folded> folded;
  for (std::size_t from = 0; from < keys.size(); from += kAtOnce) {
    const auto some = keys.subspan(from, std::min(kAtOnce, keys.size() - from));
    auto sums = read_sums(some, false);
    std::vector<std::size_t> sent;
    for (std::size_t n = 0; n < some.size(); ++n) {
      if (!sums[n].known || !sums[n].damage.empty() || sums[n].deltas.size() < least) continue;
      const std::size_t bucket = bucket_of(some[n].model, some[n].query);
      session_->send(kShareBucket, PgParams().number(std::uint64_t{bucket}));
      send_sum(some[n], sums[n], nullptr);
      session_->sync();
      sent.push_back(n);
    }
    if (sent.empty()) continue;
    const auto groups = session_->collect();
    for (std::size_t n = 0; n < sent.size(); ++n) {
      if (groups[n].is_conflict() || groups[n].is_of_record()) continue;
      groups[n].check();
      Sum& sum = sums[sent[n]];
      folded.push_back({from + sent[n], sum.epoch, static_cast<std::uint64_t>(sum.folds) + 1,
                        std::move(sum.deltas)});
    }
  }
  return folded;
}

}  // namespace dcmrank::service
