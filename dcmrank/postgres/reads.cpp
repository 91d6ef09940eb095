#include "dcmrank/postgres/reads.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "dcmrank/pg_schema/names.h"

namespace dcmrank::service {
namespace {

void add_item(QueryState& state, std::string_view name, std::string_view row) {
  if (!row.empty()) state.items.add(name, parse_row(row), 1);
}

}  // namespace

Impression pg_impression(const PgRows& rows, int row) {
  Impression result;
  result.number = static_cast<std::uint64_t>(rows.number(row, 0));
  result.word = static_cast<std::uint32_t>(rows.number(row, 1));
  result.model = rows.number(row, 2);
  if (rows.is_null(row, 3)) throw std::runtime_error("an impression's query is missing");
  result.query = rows.text(row, 3);
  result.made = rows.number(row, 4);
  result.news = rows.number(row, 5);
  result.state = static_cast<ImpressionState>(rows.number(row, 6));
  if (!rows.is_null(row, 7)) result.seen = static_cast<std::size_t>(rows.number(row, 7));
  result.id = rows.text(row, 8);
  result.page = decode_page(rows.text(row, 9));
  const std::string_view clicks = rows.text(row, 10);
  result.clicks.assign(clicks.begin(), clicks.end());
  result.clicks.resize(result.page.items.size());
  result.contribution = decode_contribution(rows.text(row, 11));
  result.events = decode_texts(rows.text(row, 12));
  result.revision = rows.number(row, 13);
  return result;
}

PgParams pg_place(const QueryKey& key) {
  PgParams params;
  params.number(std::uint64_t{bucket_of(key.model, key.query)})
      .number(key.model)
      .bytes(text_key(key.query));
  return params;
}

PgQuery pg_query(const PgRows& rows) {
  PgQuery query;
  for (int n = 0; n < rows.size(); ++n) {
    const std::int64_t kind = rows.number(n, 0);
    if (kind == 0) {
      query.known = !rows.is_null(n, 5);
      query.standing.epoch = static_cast<std::uint64_t>(rows.number(n, 1));
      query.standing.folds = static_cast<std::uint64_t>(rows.number(n, 2));
      QueryDelta sums{rows.number(n, 3), decode_rows(rows.text(n, 6)), {}};
      apply(query.state, sums);
      apply(query.base, {rows.number(n, 4), decode_rows(rows.text(n, 7)), {}});
    } else if (kind == 1) {
      query.used[std::string(rows.text(n, 5))] = rows.number(n, 1);
      add_item(query.state, rows.text(n, 5), rows.text(n, 6));
      add_item(query.base, rows.text(n, 5), rows.text(n, 7));
    } else {
      query.standing.deltas.push_back(static_cast<std::uint64_t>(rows.number(n, 1)));
      const QueryDelta delta = decode_delta(rows.text(n, 6));
      const std::int64_t target = rows.number(n, 2);
      if (target != 1) apply(query.state, delta);
      if (target != 0) apply(query.base, delta);
      for (const auto& [name, row] : delta.items) {
        if (target == 1) continue;
        Time& used = query.used[name];
        used = std::max(used, rows.number(n, 3));
      }
    }
  }
  return query;
}

template <class Interface>
PgRows PgReads<Interface>::ask_one(const char* sql, PgParams params) {
  PgGroup group = ask({{sql, std::move(params)}});
  group.check();
  return std::move(group.rows.front());
}

template <class Interface>
std::vector<Model> PgReads<Interface>::models() {
  const PgRows rows = ask_one(
      "SELECT id, name, policy, k, close_after, shadow, kept, learned_anew FROM dcmrank.model "
      "WHERE name IS NOT NULL ORDER BY name");
  std::vector<Model> models;
  for (int n = 0; n < rows.size(); ++n) {
    Model model;
    model.id = rows.number(n, 0);
    model.name = rows.text(n, 1);
    set_policy(model, rows.text(n, 2));
    model.k = static_cast<std::size_t>(rows.number(n, 3));
    model.close_after = rows.number(n, 4);
    model.shadow = rows.number(n, 5) != 0;
    model.kept = rows.text(n, 6);
    model.learned_anew = rows.number(n, 7);
    check_stored_model(model);
    models.push_back(std::move(model));
  }
  return models;
}

template <class Interface>
std::uint64_t PgReads<Interface>::models_version() {
  const PgRows rows = ask_one("SELECT value FROM dcmrank.meta WHERE name = 'models'");
  return rows.size() == 0 ? 0 : static_cast<std::uint64_t>(rows.number(0, 0));
}

template <class Interface>
bool PgReads<Interface>::load(const QueryKey& key, QueryState& state, Standing& standing) {
  PgQuery query = pg_query(ask_one(kPgLoad, pg_place(key).number(std::int64_t{0})));
  state = std::move(query.state);
  standing = std::move(query.standing);
  return query.known;
}

template <class Interface>
std::vector<StoreReader::Summary> PgReads<Interface>::queries(std::int64_t model,
                                                              std::string_view after,
                                                              std::size_t most) {
  const PgRows rows = ask_one(
      "SELECT q.name, q.rounds + coalesce((SELECT sum(d.rounds) FROM dcmrank.delta AS d "
      "WHERE d.bucket = q.bucket AND d.model = q.model AND d.query = q.key AND d.target <> 1), "
      "0)::int8 FROM dcmrank.query AS q WHERE q.model = $1::int8 AND q.name IS NOT NULL "
      "AND q.name > $2::bytea ORDER BY q.name LIMIT $3::int8",
      PgParams().number(model).bytes(after).number(std::uint64_t{most}));
  std::vector<StoreReader::Summary> result;
  result.reserve(static_cast<std::size_t>(rows.size()));
  for (int n = 0; n < rows.size(); ++n) {
    result.push_back({std::string(rows.text(n, 0)), static_cast<std::uint64_t>(rows.number(n, 1))});
  }
  return result;
}

// What was taught and not summed up yet is in `delta`; what was taken back since is in both.
template <class Interface>
bool PgReads<Interface>::has_learned(std::int64_t model) {
  const PgRows rows = ask_one(
      "SELECT 1 FROM dcmrank.query AS q WHERE q.model = $1::int8 AND q.name IS NOT NULL AND "
      "q.rounds + coalesce((SELECT sum(d.rounds) FROM dcmrank.delta AS d WHERE d.bucket = q.bucket "
      "AND d.model = q.model AND d.query = q.key AND d.target <> 1), 0) > 0 LIMIT 1",
      PgParams().number(model));
  return rows.size() > 0;
}

template <class Interface>
std::optional<Impression> PgReads<Interface>::find(std::uint64_t number) {
  const std::array numbers{static_cast<std::int64_t>(number)};
  const PgRows rows = ask_one(kPgFindImpressions, PgParams().numbers(numbers));
  if (rows.size() == 0) return std::nullopt;
  return pg_impression(rows, 0);
}

template <class Interface>
PgRows PgReads<Interface>::find_name(std::int64_t model, std::string_view id) {
  return ask_one(
      "SELECT n.number, n.body, n.answer, (extract(epoch FROM clock_timestamp() - n.at) * "
      "1000)::int8, e.number FROM (SELECT 1) AS one LEFT JOIN dcmrank.named AS n ON "
      "n.bucket = $1::int8 AND n.model = $2::int8 AND n.id = $3::bytea LEFT JOIN dcmrank.erased "
      "AS e ON e.bucket = $1::int8 AND e.model = $2::int8 AND e.id = $4::bytea",
      PgParams()
          .number(std::uint64_t{bucket_of(model, id)})
          .number(model)
          .bytes(id)
          .bytes(text_key(id)));
}

template <class Interface>
std::optional<std::uint64_t> PgReads<Interface>::number_of(std::int64_t model,
                                                           std::string_view id) {
  const PgRows rows = find_name(model, id);
  if (rows.is_null(0, 0)) return std::nullopt;
  return static_cast<std::uint64_t>(rows.number(0, 0));
}

template <class Interface>
std::optional<Impression> PgReads<Interface>::find(std::int64_t model, std::string_view id) {
  const auto made = parse_made_id(id);
  if (made) {
    auto found = find(made->number);
    if (found && found->word == made->word && found->id.empty()) {
      return model == 0 || found->model == model ? std::move(found) : std::nullopt;
    }
  }
  const auto number = number_of(made ? 0 : model, id);
  if (!number) return std::nullopt;
  auto found = find(*number);
  return found && (model == 0 || found->model == model) ? std::move(found) : std::nullopt;
}

template <class Interface>
StoreReader::OwnId PgReads<Interface>::own_id(std::int64_t model, std::string_view id) {
  const PgRows rows = find_name(model, id);
  StoreReader::OwnId known;
  if (!rows.is_null(0, 4)) known.erasure = static_cast<std::uint64_t>(rows.number(0, 4));
  if (rows.is_null(0, 0)) return known;
  const bool stored = find(static_cast<std::uint64_t>(rows.number(0, 0))).has_value();
  if (!stored && rows.number(0, 3) > kStaleClaim) return known;
  known.named = {std::string(rows.text(0, 1)), std::string(rows.text(0, 2)), stored};
  return known;
}

template class PgReads<StoreReader>;
template class PgReads<StoreWriter>;

// A connection that broke since it was used last is replaced once: reading twice does no harm.
PgGroup PgReader::ask(std::vector<Statement> statements) {
  for (bool again = false;; again = true) {
    const PgPool::Lease session = pool_->lease();
    try {
      for (const Statement& statement : statements) session->send(statement.sql, statement.params);
      session->sync();
      auto groups = session->collect();
      if (groups.front().failed() && !session->is_broken()) session->run("ROLLBACK");
      if (groups.front().failed() && !again && session->is_broken()) continue;
      return std::move(groups.front());
    } catch (const StorageError&) {
      if (again) throw;
    }
  }
}

void PgReader::with_session(const std::function<void(PgSession&)>& work) {
  const PgPool::Lease session = pool_->lease();
  try {
    work(*session);
  } catch (...) {
    if (!session->is_broken()) session->run("ROLLBACK");
    throw;
  }
}

}  // namespace dcmrank::service
