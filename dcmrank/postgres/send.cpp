// The part of the writer that says to the database what a transaction did to one bucket.
#include <utility>

#include "dcmrank/postgres/writer.h"

namespace dcmrank::service {
namespace {

// A name is asked for as a number: by `IS NOT NULL` alone the index of names would do as well as
// the key, where all queries of a model are as likely as one.
constexpr const char* kMakeQueries =
    "INSERT INTO dcmrank.query(bucket, model, key, name, epoch, folds, used) "
    "SELECT $1::int8, u.model, u.key, u.name, greatest(u.epoch, 0), (u.epoch < 0)::int, u.used "
    "FROM "
    "unnest($2::int8[], $3::bytea[], $4::bytea[], $5::int8[], $6::int8[]) "
    "AS u(model, key, name, epoch, used) WHERE NOT EXISTS(SELECT 1 FROM dcmrank.query AS q "
    "WHERE q.bucket = $1::int8 AND q.model = u.model AND q.key = u.key AND (q.name IS NOT "
    "NULL)::int = 1) "
    "ON CONFLICT(bucket, model, key) DO UPDATE SET name = excluded.name, used = excluded.used "
    "WHERE query.name IS NULL AND (excluded.folds = 1 OR query.epoch = excluded.epoch)";
// An import goes into whatever epoch there is, and begins with a fold.
constexpr std::int64_t kAnyEpoch = -1;

// Arrays side by side; their elements are taken one by one, where `FROM unnest(…, …)` would keep
// each array's aside first. The queries that were looked at are counted.
constexpr const char* kInsert =
    "WITH stored AS (INSERT INTO dcmrank.impression(bucket, number, word, model, query, made, "
    "news, due, id, page) SELECT $1::int8, u.number, u.word, u.model, u.query, u.made, u.made, "
    "u.due, u.id, u.page FROM (SELECT unnest($2::int8[]) AS number, unnest($3::int8[]) AS word, "
    "unnest($4::int8[]) AS model, unnest($5::bytea[]) AS query, unnest($6::int8[]) AS made, "
    "unnest($7::int8[]) AS due, unnest($8::bytea[]) AS id, unnest($9::bytea[]) AS page) AS u), "
    "same AS (SELECT 1 FROM (SELECT unnest($10::int8[]) AS model, unnest($11::bytea[]) AS key, "
    "unnest($12::int8[]) AS epoch) AS u JOIN dcmrank.query AS q ON q.bucket = $1::int8 AND "
    "q.model = u.model AND q.key = u.key AND q.epoch = u.epoch AND (q.name IS NOT NULL)::int = 1 "
    "JOIN dcmrank.model AS m ON m.id = u.model AND m.name IS NOT NULL) "
    "SELECT dcmrank.expect(count(*), $13::int8) FROM same";

// Of models that are there: another server may have erased one, and made it anew.
constexpr const char* kUpdate =
    "WITH stored AS (UPDATE dcmrank.impression AS i SET news = u.news, "
    "due = CASE WHEN u.keeps = 1 THEN i.due ELSE u.due END, state = u.state, seen = u.seen, "
    "clicks = u.clicks, contribution = u.contribution, events = u.events, "
    "page = coalesce(u.page, i.page), revision = i.revision + 1, "
    "packed = i.packed AND u.keeps = 1 "
    "FROM (SELECT unnest($2::int8[]) AS number, unnest($3::int8[]) AS revision, "
    "unnest($4::int8[]) AS news, unnest($5::int8[]) AS keeps, unnest($6::int8[]) AS due, "
    "unnest($7::int8[]) AS state, unnest($8::int8[]) AS seen, unnest($9::bytea[]) AS clicks, "
    "unnest($10::bytea[]) AS contribution, unnest($11::bytea[]) AS events, "
    "unnest($12::bytea[]) AS page) AS u "
    "WHERE i.bucket = $1::int8 AND i.number = u.number AND i.revision = u.revision AND "
    "EXISTS(SELECT 1 FROM dcmrank.model AS m WHERE m.id = i.model AND m.name IS NOT NULL) "
    "RETURNING 1) SELECT dcmrank.expect(count(*), $13::int8) FROM stored";

constexpr const char* kRemove =
    "WITH gone AS (DELETE FROM dcmrank.impression AS i USING unnest($2::int8[], $3::int8[]) "
    "AS u(number, revision) WHERE i.bucket = $1::int8 AND i.number = u.number AND "
    "i.revision = u.revision RETURNING 1) SELECT dcmrank.expect(count(*), $4::int8) FROM gone";

constexpr const char* kInsertEvents =
    "WITH stored AS (INSERT INTO dcmrank.event(bucket, model, id, hash) "
    "SELECT $1::int8, u.model, u.id, u.hash FROM (SELECT unnest($2::int8[]) AS model, "
    "unnest($3::bytea[]) AS id, unnest($4::bytea[]) AS hash) AS u ON CONFLICT DO NOTHING RETURNING "
    "1) "
    "SELECT dcmrank.expect(count(*), $5::int8) FROM stored";
constexpr const char* kDropEvents =
    "DELETE FROM dcmrank.event AS e USING unnest($2::int8[], $3::bytea[]) AS u(model, id) "
    "WHERE e.bucket = $1::int8 AND e.model = u.model AND e.id = u.id";

constexpr const char* kAdd =
    "INSERT INTO dcmrank.delta(bucket, model, query, id, target, at, rounds, sums) "
    "SELECT $1::int8, u.model, u.query, u.id, u.target, u.at, u.rounds, u.sums FROM "
    "(SELECT unnest($2::int8[]) AS model, unnest($3::bytea[]) AS query, unnest($4::int8[]) AS id, "
    "unnest($5::int8[]) AS target, unnest($6::int8[]) AS at, unnest($7::int8[]) AS rounds, "
    "unnest($8::bytea[]) AS sums) AS u";

constexpr const char* kHold =
    "INSERT INTO dcmrank.held(bucket, model, impression, number, caller, until, item, body) "
    "SELECT $1::int8, u.model, u.impression, u.number, u.caller, u.until, u.item, u.body FROM "
    "unnest($2::int8[], $3::bytea[], $4::int8[], $5::bytea[], $6::int8[], $7::bytea[], "
    "$8::bytea[]) AS u(model, impression, number, caller, until, item, body)";

std::int64_t signed_of(std::uint64_t number) { return static_cast<std::int64_t>(number); }

}  // namespace

// Those that are not there yet.
void PgWriter::send_queries(std::size_t bucket, const Work& work) {
  std::map<std::pair<std::int64_t, std::string>, std::tuple<std::string_view, std::int64_t, Time>>
      queries;
  for (const auto& [key, used] : work.made_queries) {
    queries[{key.model, text_key(key.query)}] = {key.query, kAnyEpoch, used};
  }
  for (const Insert& list : work.inserts) {
    const auto& [query, epoch] = *list.query;
    if (epoch.stored) continue;
    queries.try_emplace({query.model, epoch.key}, query.query, signed_of(epoch.number), list.made);
  }
  if (queries.empty()) return;
  std::vector<std::int64_t> models;
  std::vector<std::int64_t> epochs;
  std::vector<std::int64_t> used;
  std::vector<std::string_view> keys;
  std::vector<std::string_view> names;
  for (const auto& [key, query] : queries) {
    models.push_back(key.first);
    keys.emplace_back(key.second);
    names.push_back(std::get<0>(query));
    epochs.push_back(std::get<1>(query));
    used.push_back(std::get<2>(query));
  }
  session_->send(kMakeQueries, PgParams()
                                   .number(std::uint64_t{bucket})
                                   .numbers(models)
                                   .texts(keys)
                                   .texts(names)
                                   .numbers(epochs)
                                   .numbers(used));
}

void PgWriter::send_lists(std::size_t bucket, std::span<const Insert* const> lists) {
  if (lists.empty()) return;
  std::vector<std::int64_t> numbers;
  std::vector<std::int64_t> words;
  std::vector<std::int64_t> models;
  std::vector<std::int64_t> made;
  std::vector<std::int64_t> due;
  std::vector<std::int64_t> their_models;
  std::vector<std::int64_t> epochs;
  std::vector<std::string_view> queries;
  std::vector<std::string_view> pages;
  std::vector<std::string_view> their_keys;
  std::vector<std::optional<std::string_view>> ids;
  std::set<const QueryEpoch*> seen;
  for (const Insert* list : lists) {
    const auto& [query, epoch] = *list->query;
    numbers.push_back(signed_of(list->number));
    words.push_back(list->word);
    models.push_back(query.model);
    queries.emplace_back(epoch.key);
    made.push_back(list->made);
    due.push_back(list->due);
    ids.push_back(list->id.empty() ? std::nullopt : std::optional<std::string_view>(list->id));
    pages.emplace_back(list->page);
    if (!seen.insert(list->query).second) continue;
    their_models.push_back(query.model);
    their_keys.emplace_back(epoch.key);
    epochs.push_back(signed_of(epoch.number));
  }
  // What an array lacks at its end is nothing.
  while (!ids.empty() && !ids.back()) ids.pop_back();
  session_->send(kInsert, PgParams()
                              .number(std::uint64_t{bucket})
                              .numbers(numbers)
                              .numbers(words)
                              .numbers(models)
                              .texts(queries)
                              .numbers(made)
                              .numbers(due)
                              .texts(ids)
                              .texts(pages)
                              .numbers(their_models)
                              .texts(their_keys)
                              .numbers(epochs)
                              .number(std::uint64_t{epochs.size()}));
}

void PgWriter::send_updates(std::size_t bucket, const Work& work) {
  if (!work.updates.empty()) {
    std::vector<std::int64_t> numbers;
    std::vector<std::int64_t> revisions;
    std::vector<std::int64_t> news;
    std::vector<std::int64_t> keeps;
    std::vector<std::int64_t> states;
    std::vector<std::optional<std::int64_t>> due;
    std::vector<std::optional<std::int64_t>> seen;
    std::vector<std::string> bytes;
    bytes.reserve(4 * work.updates.size());
    std::vector<std::string_view> clicks;
    std::vector<std::string_view> contributions;
    std::vector<std::string_view> events;
    std::vector<std::optional<std::string_view>> pages;
    for (const auto& [number, update] : work.updates) {
      const Impression& impression = update.impression;
      numbers.push_back(signed_of(number));
      revisions.push_back(impression.revision);
      news.push_back(impression.news);
      keeps.push_back(update.keeps_due ? 1 : 0);
      due.push_back(update.due);
      states.push_back(static_cast<std::int64_t>(impression.state));
      seen.push_back(impression.seen ? std::optional<std::int64_t>(*impression.seen)
                                     : std::nullopt);
      clicks.emplace_back(bytes.emplace_back(impression.clicks.begin(), impression.clicks.end()));
      contributions.emplace_back(bytes.emplace_back(encode(impression.contribution)));
      events.emplace_back(bytes.emplace_back(encode(impression.events)));
      if (update.rewritten) {
        pages.emplace_back(bytes.emplace_back(encode(impression.page)));
      } else {
        pages.emplace_back(std::nullopt);
      }
    }
    session_->send(kUpdate, PgParams()
                                .number(std::uint64_t{bucket})
                                .numbers(numbers)
                                .numbers(revisions)
                                .numbers(news)
                                .numbers(keeps)
                                .numbers(due)
                                .numbers(states)
                                .numbers(seen)
                                .texts(clicks)
                                .texts(contributions)
                                .texts(events)
                                .texts(pages)
                                .number(std::uint64_t{numbers.size()}));
  }
  if (work.removals.empty()) return;
  std::vector<std::int64_t> numbers;
  std::vector<std::int64_t> revisions;
  for (const auto& [number, revision] : work.removals) {
    numbers.push_back(signed_of(number));
    revisions.push_back(revision);
  }
  session_->send(kRemove, PgParams()
                              .number(std::uint64_t{bucket})
                              .numbers(numbers)
                              .numbers(revisions)
                              .number(std::uint64_t{numbers.size()}));
}

void PgWriter::send_events(std::size_t bucket, const Work& work) {
  for (const bool drop : {true, false}) {
    const auto& rows = drop ? work.dropped_events : work.events;
    if (rows.empty()) continue;
    std::vector<std::int64_t> models;
    std::vector<std::string_view> ids;
    std::vector<std::string_view> hashes;
    for (const EventRow& row : rows) {
      models.push_back(row.model);
      ids.emplace_back(row.id);
      hashes.emplace_back(row.hash);
    }
    PgParams params;
    params.number(std::uint64_t{bucket}).numbers(models).texts(ids);
    if (!drop) params.texts(hashes).number(std::uint64_t{rows.size()});
    session_->send(drop ? kDropEvents : kInsertEvents, params);
  }
}

void PgWriter::send_added(std::size_t bucket, const Work& work) {
  if (work.added.empty()) return;
  std::vector<std::int64_t> models;
  std::vector<std::int64_t> numbers;
  std::vector<std::int64_t> targets;
  std::vector<std::int64_t> at;
  std::vector<std::int64_t> rounds;
  std::vector<std::string> keys;
  keys.reserve(work.added.size());
  std::vector<std::string_view> queries;
  std::vector<std::string_view> sums;
  for (const Added& added : work.added) {
    models.push_back(added.key.model);
    queries.emplace_back(keys.emplace_back(text_key(added.key.query)));
    numbers.push_back(signed_of(added.number));
    targets.push_back(added.target);
    at.push_back(added.at);
    rounds.push_back(added.rounds);
    sums.emplace_back(added.sums);
  }
  session_->send(kAdd, PgParams()
                           .number(std::uint64_t{bucket})
                           .numbers(models)
                           .texts(queries)
                           .numbers(numbers)
                           .numbers(targets)
                           .numbers(at)
                           .numbers(rounds)
                           .texts(sums));
}

void PgWriter::send_held(std::size_t bucket, const Work& work) {
  if (work.held.empty()) return;
  std::vector<std::int64_t> models;
  std::vector<std::int64_t> numbers;
  std::vector<std::int64_t> until;
  std::vector<std::string> bytes;
  bytes.reserve(work.held.size());
  std::vector<std::string_view> impressions;
  std::vector<std::string_view> callers;
  std::vector<std::string_view> items;
  std::vector<std::string_view> bodies;
  for (const HeldEvent& held : work.held) {
    models.push_back(held.model);
    impressions.emplace_back(held.event.impression);
    numbers.push_back(signed_of(held.number));
    callers.emplace_back(held.caller);
    until.push_back(held.until);
    items.emplace_back(held.event.item);
    bodies.emplace_back(bytes.emplace_back(encode(held.event)));
  }
  session_->send(kHold, PgParams()
                            .number(std::uint64_t{bucket})
                            .numbers(models)
                            .texts(impressions)
                            .numbers(numbers)
                            .texts(callers)
                            .numbers(until)
                            .texts(items)
                            .texts(bodies));
}

void PgWriter::send_work(std::size_t bucket, const Work& work) {
  if (locked_ != bucket) session_->send(kShareBucket, PgParams().number(std::uint64_t{bucket}));
  send_queries(bucket, work);
  send_lists(bucket, send_packs(bucket, work));
  send_updates(bucket, work);
  send_events(bucket, work);
  send_added(bucket, work);
  send_held(bucket, work);
  send_done_packs(bucket, work);
}

}  // namespace dcmrank::service
