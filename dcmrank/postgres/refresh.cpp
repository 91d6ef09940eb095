// The part of the writer that sees what others added.
#include <unordered_set>
#include <utility>

#include "dcmrank/postgres/writer.h"

namespace dcmrank::service {

std::vector<StoreWriter::News> PgWriter::refresh(std::span<const Known> queries) {
  std::vector<std::int64_t> buckets;
  std::vector<std::int64_t> models;
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
  std::vector<std::int64_t> delta_of;
  std::vector<std::int64_t> delta_buckets;
  std::vector<std::int64_t> delta_models;
  std::vector<std::int64_t> delta_ids;
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
    News& of = news[place[static_cast<std::size_t>(added.number(n, 0))]];
    try {
      // What no impression accounts for is known only to a recount.
      of.deltas.emplace_back(
          static_cast<std::uint64_t>(added.number(n, 1)),
          added.number(n, 2) == 1 ? QueryDelta() : decode_delta(added.text(n, 3)));
    } catch (const std::runtime_error&) {  // damaged: who reads all of it is told
      of.reload = true;
    }
  }
  return news;
}

}  // namespace dcmrank::service
