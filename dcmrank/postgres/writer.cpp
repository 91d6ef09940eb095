#include "dcmrank/postgres/writer.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "dcmrank/pg_schema/schema.h"

namespace dcmrank::service {
namespace {

using namespace std::chrono_literals;
constexpr auto kWriting = 10'000ms;  // how long a writer waits for the database

}  // namespace

PgWriter::PgWriter(std::shared_ptr<PgPool> pool)
    : pool_(std::move(pool)), nonce_(process_secret() >> 1U) {}

PgSession& PgWriter::session() {
  if (session_ && session_->is_broken()) {
    session_.reset();
    pool_->note_break();
  }
  if (!session_) session_ = pool_->open(kWriting);
  return *session_;
}

PgGroup PgWriter::ask(std::vector<Statement> statements) {
  PgSession& to = session();
  for (const Statement& statement : statements) to.send(statement.sql, statement.params);
  to.sync();
  return std::move(to.collect().front());
}

void PgWriter::with_session(const std::function<void(PgSession&)>& work) {
  try {
    work(session());
  } catch (...) {
    if (session_ && !session_->is_broken()) session_->run("ROLLBACK");
    throw;
  }
}

void PgWriter::begin() {
  rollback();
  session();
}

void PgWriter::rollback() {
  const bool open = std::exchange(named_transaction_, false);
  clear();
  if (!open || !session_) return;
  if (!session_->is_broken()) session_->run("ROLLBACK");
}

void PgWriter::clear() {
  locked_.reset();
  mark_.reset();
  erased_apart_ = false;
  expected_ = false;
  looked_ = false;
  work_.clear();
  claims_.clear();
  forget_looks();
  drop_names_.clear();
  blank_names_.clear();
  free_claims_.clear();
  drop_held_.clear();
  drop_held_of_.clear();
  drop_held_items_.clear();
}

void PgWriter::forget_looks() {
  impressions_.clear();
  names_.clear();
  name_ages_.clear();
  events_.clear();
  epochs_.clear();
  erasures_.clear();
  held_.clear();
  held_known_.clear();
}

void PgWriter::together() {
  run("BEGIN");
  named_transaction_ = true;
  const std::uint64_t number = ++nonce_;
  mark_ = {number % kBuckets, number};
}

void PgWriter::lock_models() {
  if (!named_transaction_) together();
  run(kTakeModels);
}

// Whoever writes that much may take a while to read the next of it.
void PgWriter::flush() {
  if (!named_transaction_) throw std::logic_error("flush without together");
  if (!flush_named_transaction()) {
    throw StorageError("something else is writing to the database");
  }
  forget_looks();
  run("SET LOCAL idle_in_transaction_session_timeout = '10min'");
}

std::optional<Impression> PgWriter::find(std::uint64_t number) {
  looked_ = true;
  if (const auto at = impressions_.find(number); at != impressions_.end()) return at->second;
  auto found = inserted(number);
  if (!found) found = PgReads<StoreWriter>::find(number);
  impressions_[number] = found;
  return found;
}

std::optional<std::uint64_t> PgWriter::number_of(std::int64_t model, std::string_view id) {
  const Name name{model, std::string(id)};
  if (const auto at = names_.find(name); at != names_.end()) return at->second;
  const auto number = PgReads<StoreWriter>::number_of(model, id);
  names_[name] = number;
  return number;
}

// An id of the form that services make came with its list from another store.
PgWriter::Name PgWriter::name_of(const NewImpression& list) {
  return {parse_made_id(list.id) ? 0 : list.model, list.id};
}

// Where it was made by an attempt that failed: the list is not kept after all.
void PgWriter::free_claim(const NewImpression& list) {
  if (list.id.empty()) return;
  const auto at = name_ages_.find(name_of(list));
  if (at == name_ages_.end() || at->second.first != list.number) return;
  free_claims_.emplace_back(at->first, list.number);
}

Kept PgWriter::insert(const NewImpression& given, Time due) {
  auto query = epochs_.find({given.model, given.query});
  if (!expected_ || query == epochs_.end()) {
    const NewImpression* const one = &given;
    look_for({&one, 1}, {}, true);
    query = epochs_.find({given.model, given.query});
  }
  if (const auto known = impressions_.find(given.number); known != impressions_.end()) {
    if (known->second) return {};  // before the answer of a commit was lost
    impressions_.erase(known);
  }
  const bool has_model = models_.contains(given.model);
  if (query->second.number != given.epoch || !has_model) {
    free_claim(given);
    return has_model ? Kept::Not::kErased : Kept::Not::kModelErased;
  }
  if (!given.id.empty()) {
    const Name name = name_of(given);
    const auto erased = erasures_.find(name);
    if (erased != erasures_.end() && erased->second != given.erasure) {
      free_claim(given);
      return Kept::Not::kErased;
    }
    Claim claim{name, given.number, given.body, given.answer};
    claim.erasure = given.erasure;
    if (const auto at = name_ages_.find(name); at != name_ages_.end()) {
      const auto [number, age] = at->second;
      const bool stale = number != given.number && !find(number) && age > kStaleClaim;
      if (number != given.number && !stale) return Kept::Not::kIdTaken;
      if (stale) claim.stale = number;
    }
    names_[name] = given.number;
    claims_.push_back(std::move(claim));
  }
  work_[bucket_of(given.number)].inserts.push_back(
      {given.number, given.word, given.made, due, &*query, given.id, given.page});
  return {};
}

// In this transaction.
std::optional<Impression> PgWriter::inserted(std::uint64_t number) const {
  const auto work = work_.find(bucket_of(number));
  if (work == work_.end()) return std::nullopt;
  const auto& all = work->second.inserts;
  const auto at = std::find_if(all.begin(), all.end(),
                               [&](const Insert& insert) { return insert.number == number; });
  if (at == all.end()) return std::nullopt;
  const Insert& list = *at;
  Impression impression;
  impression.number = list.number;
  impression.word = list.word;
  impression.model = list.query->first.model;
  impression.query = list.query->first.query;
  impression.made = list.made;
  impression.news = list.made;
  impression.id = list.id;
  impression.page = decode_page(list.page);
  impression.clicks.resize(impression.page.items.size());
  return impression;
}

void PgWriter::update(const Impression& impression, std::optional<Time> due) {
  Update& update = work_[bucket_of(impression.number)].updates[impression.number];
  const bool open = impression.state == ImpressionState::kOpen;
  update.keeps_due = open && !due;
  update.due = open ? due : std::nullopt;
  update.impression = impression;
  impressions_[impression.number] = impression;
}

void PgWriter::rewrite(const Impression& impression, Time due) {
  const std::size_t bucket = bucket_of(impression.number);
  if (const auto before = find(impression.number)) {
    for (const std::string& id : before->events) {
      work_[bucket].dropped_events.push_back({impression.model, id, ""});
    }
  }
  update(impression, due);
  work_[bucket].updates[impression.number].rewritten = true;
  if (!impression.id.empty()) blank_names_.push_back({bucket, {impression.model, impression.id}});
}

void PgWriter::remove(const Impression& impression) {
  const std::size_t bucket = bucket_of(impression.number);
  Work& work = work_[bucket];
  work.updates.erase(impression.number);
  work.removals.emplace_back(impression.number, impression.revision);
  for (const std::string& id : impression.events) {
    work.dropped_events.push_back({impression.model, id, ""});
  }
  if (!impression.id.empty()) {
    const std::int64_t model = parse_made_id(impression.id) ? 0 : impression.model;
    drop_names_.push_back({bucket, {model, impression.id}});
  }
  drop_held_of_.push_back({bucket, {impression.model, impression_id(impression)}});
  impressions_[impression.number] = std::nullopt;
}

std::uint64_t PgWriter::add(const QueryKey& key, const QueryDelta& delta, Into into, Time now) {
  Work& work = work_[bucket_of(key.model, key.query)];
  // What an impression adds has a query; what is imported may be the first of it.
  if (into == Into::kBoth) work.made_queries[key] = now;
  const std::uint64_t number = ++nonce_;
  const std::int64_t target = into == Into::kState ? 0 : into == Into::kBase ? 1 : 2;
  work.added.push_back({key, number, target, now, delta.rounds, encode(delta)});
  return number;
}

std::optional<std::string> PgWriter::event(std::uint64_t impression, std::int64_t model,
                                           std::string_view id) {
  looked_ = true;
  const std::tuple key{bucket_of(impression), model, std::string(id)};
  if (const auto at = events_.find(key); at != events_.end()) return at->second;
  const PgRows rows = ask_one(
      "SELECT hash FROM dcmrank.event WHERE bucket = $1::int8 AND model = $2::int8 AND "
      "id = $3::bytea",
      PgParams().number(std::uint64_t{bucket_of(impression)}).number(model).bytes(id));
  if (rows.size() == 0) return std::nullopt;
  return std::string(rows.text(0, 0));
}

void PgWriter::insert_event(std::uint64_t impression, std::int64_t model, std::string_view id,
                            std::string_view hash) {
  const std::size_t bucket = bucket_of(impression);
  work_[bucket].events.push_back({model, std::string(id), std::string(hash)});
  events_[{bucket, model, std::string(id)}] = std::string(hash);
}

// A row, not only the log: a database may take none. And no table may be locked by somebody else.
void PgWriter::probe(Time /*now*/) {
  looked_ = true;
  run("WITH a AS (DELETE FROM dcmrank.impression WHERE false), "
      "b AS (DELETE FROM dcmrank.event WHERE false), c AS (DELETE FROM dcmrank.delta WHERE false), "
      "d AS (DELETE FROM dcmrank.query WHERE false), e AS (DELETE FROM dcmrank.item WHERE false), "
      "f AS (DELETE FROM dcmrank.named WHERE false), g AS (DELETE FROM dcmrank.held WHERE false), "
      "h AS (DELETE FROM dcmrank.pack WHERE false), "
      "i AS (DELETE FROM dcmrank.erased WHERE false), "
      "j AS (DELETE FROM dcmrank.done WHERE false) "
      "INSERT INTO dcmrank.meta(name, value) VALUES('probe', 0) ON CONFLICT(name) DO UPDATE "
      "SET value = 0");
}

std::uint64_t PgWriter::begin_start() {
  looked_ = true;
  return note_start(session());
}

std::int64_t PgWriter::put(const Model& model) {
  const PgRows rows = run(
      "WITH stored AS (INSERT INTO dcmrank.model(id, name, policy, kept, learned_anew, k, "
      "close_after, shadow) VALUES($1::int8, $2::bytea, $3::bytea, $4::bytea, $5::int8, $6::int8, "
      "$7::int8, $8::int8) ON CONFLICT(name) DO UPDATE SET policy = excluded.policy, "
      "kept = excluded.kept, learned_anew = excluded.learned_anew, k = excluded.k, "
      "close_after = excluded.close_after, shadow = excluded.shadow RETURNING id), "
      "noted AS (INSERT INTO dcmrank.meta(name, value) VALUES('models', 1) "
      "ON CONFLICT(name) DO UPDATE SET value = meta.value + 1) SELECT id FROM stored",
      PgParams()
          .number(static_cast<std::int64_t>(process_secret() >> 2U))
          .bytes(model.name)
          .bytes(model.said)
          .bytes(model.kept)
          .number(model.learned_anew)
          .number(std::uint64_t{model.k})
          .number(model.close_after)
          .number(std::int64_t{model.shadow ? 1 : 0}));
  looked_ = true;
  if (rows.size() != 1) throw StorageError("a model could not be stored");
  return rows.number(0, 0);
}

}  // namespace dcmrank::service
