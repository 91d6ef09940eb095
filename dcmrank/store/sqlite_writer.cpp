#include "dcmrank/store/sqlite_writer.h"

#include <utility>

#include "dcmrank/store/layout.h"

namespace dcmrank::service {

SqliteWriter::SqliteWriter(Database given, std::function<void(Database&)> begins,
                           std::function<void()> check, std::function<void(Database&)> committed)
    : SqliteReads<StoreWriter>(std::move(given)),
      begins_(std::move(begins)),
      check_(std::move(check)),
      committed_(std::move(committed)),
      insert_query_(database(), "INSERT INTO query(model, name, used) VALUES(?, ?, ?)"),
      insert_impression_(database(),
                         "INSERT INTO impression(number, word, model, query, made, news, due, "
                         "state, id, page) VALUES(?, ?, ?, ?, ?, ?, ?, 0, ?, ?)"),
      insert_named_(database(),
                    "INSERT INTO named(model, id, number, body, answer) VALUES(?, ?, ?, ?, ?)"),
      update_impression_(database(),
                         "UPDATE impression SET news = ?, due = ?, state = ?, seen = ?, "
                         "clicks = ?, contribution = ?, events = ? WHERE number = ?"),
      add_news_(database(),
                "UPDATE impression SET news = ?, state = ?, seen = ?, clicks = ?, "
                "contribution = ?, events = ? WHERE number = ?"),
      due_(database(), "SELECT number FROM impression WHERE due <= ? ORDER BY due LIMIT ?"),
      add_state_(database(),
                 "UPDATE query SET rounds = rounds + ?, positions = add_rows(positions, ?), "
                 "used = max(used, ?) WHERE id = ?"),
      add_item_state_(database(),
                      "UPDATE item SET used = max(used, ?), state = add_row(state, ?) "
                      "WHERE query = ? AND name = ?"),
      insert_item_(database(), "INSERT INTO item(query, name, used, state) VALUES(?, ?, ?, ?)"),
      add_base_(database(),
                "UPDATE query SET base_rounds = base_rounds + ?, "
                "base_positions = add_rows(base_positions, ?) WHERE id = ?"),
      add_item_base_(database(),
                     "UPDATE item SET base = add_row(base, ?) WHERE query = ? AND name = ?"),
      find_event_(database(), "SELECT hash FROM event WHERE model = ? AND id = ?"),
      insert_event_(database(), "INSERT INTO event(model, id, hash) VALUES(?, ?, ?)"),
      insert_held_(database(),
                   "INSERT INTO held(model, impression, caller, until, item, body) "
                   "VALUES(?, ?, ?, ?, ?, ?)"),
      release_(database(),
               "DELETE FROM held WHERE model = ? AND impression = ? RETURNING caller, until, body"),
      expire_(database(), "DELETE FROM held WHERE until < ? RETURNING caller") {}

void SqliteWriter::begin() {
  if (database().in_transaction()) rollback();
  begins_(database());
  database().execute("BEGIN IMMEDIATE");
}

Buckets SqliteWriter::commit() {
  check_();
  database().execute("COMMIT");
  ids_.clear();
  committed_(database());
  return {};
}

void SqliteWriter::rollback() {
  ids_.clear();
  if (database().in_transaction()) database().execute("ROLLBACK");
}

std::int64_t SqliteWriter::made_id_of(const QueryKey& key, Time now) {
  if (const auto at = ids_.find(key); at != ids_.end()) return at->second;
  std::int64_t id = id_of(key);
  if (id == 0) {
    insert_query_.run(key.model, key.query, now);
    id = database().last_id();
  }
  ids_.emplace(key, id);
  return id;
}

Kept SqliteWriter::insert(const NewImpression& impression, Time due) {
  const std::int64_t query = made_id_of({impression.model, impression.query}, impression.made);
  const auto id = impression.id.empty() ? std::nullopt : std::optional(impression.id);
  insert_impression_.run(impression.number, std::int64_t{impression.word}, impression.model, query,
                         impression.made, impression.made, due, id, BlobView{impression.page});
  if (id) {
    insert_named_.run(impression.model, impression.id, impression.number, BlobView{impression.body},
                      BlobView{impression.answer});
  }
  return {};
}

void SqliteWriter::update(const Impression& impression, std::optional<Time> due) {
  const std::string clicks(impression.clicks.begin(), impression.clicks.end());
  const std::string contribution = encode(impression.contribution);
  const std::string events = encode(impression.events);
  std::optional<std::int64_t> seen;
  if (impression.seen) seen = static_cast<std::int64_t>(*impression.seen);
  const auto state = static_cast<int>(impression.state);
  if (impression.state != ImpressionState::kOpen) {
    due.reset();
  } else if (!due) {
    return add_news_.run(impression.news, state, seen, BlobView{clicks}, BlobView{contribution},
                         BlobView{events}, impression.number);
  }
  update_impression_.run(impression.news, due, state, seen, BlobView{clicks},
                         BlobView{contribution}, BlobView{events}, impression.number);
}

void SqliteWriter::rewrite(const Impression& impression, Time due) {
  if (const auto before = find(impression.number)) {
    Statement drop(database(), "DELETE FROM event WHERE model = ? AND id = ?");
    for (const std::string& event : before->events) drop.run(impression.model, event);
  }
  update(impression, due);
  const std::string page = encode(impression.page);
  Statement keep(database(), "UPDATE impression SET page = ? WHERE number = ?");
  keep.run(BlobView{page}, impression.number);
  if (impression.id.empty()) return;
  Statement answer(database(), "UPDATE named SET answer = x'' WHERE model = ? AND id = ?");
  answer.run(impression.model, impression.id);
}

void SqliteWriter::remove(const Impression& impression) {
  Statement drop(database(), "DELETE FROM impression WHERE number = ?");
  drop.run(impression.number);
  Statement drop_event(database(), "DELETE FROM event WHERE model = ? AND id = ?");
  for (const std::string& event : impression.events) drop_event.run(impression.model, event);
  if (!impression.id.empty()) {
    Statement drop_named(database(), "DELETE FROM named WHERE model = ? AND id = ?");
    drop_named.run(impression.model, impression.id);
  }
  Statement drop_held(database(), "DELETE FROM held WHERE model = ? AND impression = ?");
  drop_held.run(impression.model, impression_id(impression));
}

// Numbers grow with time.
std::vector<std::uint64_t> SqliteWriter::old(Time before, std::size_t most) {
  std::vector<std::uint64_t> numbers;
  Statement select(database(),
                   "SELECT number, made, state FROM impression WHERE number > ? ORDER BY number "
                   "LIMIT ?");
  std::size_t seen = 0;
  bool young = false;
  for (Rows rows = select.rows(aged_, std::uint64_t{most}); !young && rows.next();) {
    young = rows.number(1) >= before;
    if (young) continue;
    ++seen;
    aged_ = static_cast<std::uint64_t>(rows.number(0));
    if (rows.number(2) != 0) numbers.push_back(aged_);
  }
  if (seen < most) aged_ = 0;
  return numbers;
}

std::vector<std::uint64_t> SqliteWriter::due(Time now, std::size_t most) {
  std::vector<std::uint64_t> numbers;
  for (Rows rows = due_.rows(now, std::uint64_t{most}); rows.next();) {
    numbers.push_back(static_cast<std::uint64_t>(rows.number(0)));
  }
  return numbers;
}

void SqliteWriter::set_aside(std::uint64_t number) {
  Statement aside(database(), "UPDATE impression SET due = NULL WHERE number = ?");
  aside.run(number);
}

void SqliteWriter::reschedule(std::int64_t model, Time close_after) {
  Statement anew(database(),
                 "UPDATE impression SET due = news + ? WHERE model = ? AND state = 0 AND "
                 "due IS NOT NULL");
  anew.run(close_after, model);
}

std::vector<std::uint64_t> SqliteWriter::impressions_of(const QueryKey& key, std::size_t most) {
  std::vector<std::uint64_t> numbers;
  Statement select(database(), "SELECT number FROM impression WHERE query = ? LIMIT ?");
  for (Rows rows = select.rows(id_of(key), std::uint64_t{most}); rows.next();) {
    numbers.push_back(static_cast<std::uint64_t>(rows.number(0)));
  }
  return numbers;
}

std::uint64_t SqliteWriter::add(const QueryKey& key, const QueryDelta& delta, Into into, Time now) {
  const std::int64_t id = into == Into::kBase ? id_of(key) : made_id_of(key, now);
  const std::string positions = encode(delta.positions);
  if (into != Into::kBase) {
    add_state_.run(delta.rounds, BlobView{positions}, now, id);
    for (const auto& [name, row] : delta.items) {
      const std::string blob = row_blob(row);
      add_item_state_.run(now, BlobView{blob}, id, name);
      if (database().changes() == 0) insert_item_.run(id, name, now, BlobView{blob});
    }
  }
  if (into == Into::kState) return 0;
  add_base_.run(delta.rounds, BlobView{positions}, id);
  for (const auto& [name, row] : delta.items) {
    const std::string blob = row_blob(row);
    add_item_base_.run(BlobView{blob}, id, name);
  }
  return 0;
}

std::optional<std::string> SqliteWriter::event(std::uint64_t /*impression*/, std::int64_t model,
                                               std::string_view id) {
  Rows rows = find_event_.rows(model, id);
  if (!rows.next()) return std::nullopt;
  return std::string(rows.text(0));
}

void SqliteWriter::insert_event(std::uint64_t /*impression*/, std::int64_t model,
                                std::string_view id, std::string_view hash) {
  insert_event_.run(model, id, BlobView{hash});
}

void SqliteWriter::hold(const HeldEvent& held) {
  const std::string body = encode(held.event);
  insert_held_.run(held.model, held.event.impression, held.caller, held.until, held.event.item,
                   BlobView{body});
}

std::vector<HeldEvent> SqliteWriter::release(std::int64_t model, std::string_view id) {
  std::vector<HeldEvent> events;
  bool some = false;
  for (Rows rows = release_.rows(model, id); rows.next();) {
    some = true;
    HeldEvent held{model, std::string(rows.text(0)), rows.number(1), {}, 0};
    try {
      held.event = decode_event(rows.text(2));
    } catch (const std::runtime_error&) {  // damaged: the impression shall not go with it
      continue;
    }
    events.push_back(std::move(held));
  }
  if (some) note_held_gone();
  return events;
}

std::vector<std::pair<std::string, std::uint64_t>> SqliteWriter::expire_held(Time now) {
  std::map<std::string, std::uint64_t> gone;
  for (Rows rows = expire_.rows(now); rows.next();) ++gone[std::string(rows.text(0))];
  if (!gone.empty()) note_held_gone();
  return {gone.begin(), gone.end()};
}

std::vector<std::pair<std::string, std::uint64_t>> SqliteWriter::held() {
  Statement count(database(), "SELECT caller, count(*) FROM held GROUP BY caller");
  std::vector<std::pair<std::string, std::uint64_t>> result;
  for (Rows rows = count.rows(); rows.next();) {
    result.emplace_back(rows.text(0), static_cast<std::uint64_t>(rows.number(1)));
  }
  return result;
}

void SqliteWriter::probe(Time now) {
  Statement write(database(), "INSERT OR REPLACE INTO meta(name, value) VALUES('probed', ?)");
  write.run(now);
}

std::uint64_t SqliteWriter::begin_start() { return note_start(database()); }

std::int64_t SqliteWriter::put(const Model& model) {
  Statement store(database(),
                  "INSERT INTO model(name, policy, kept, learned_anew, k, close_after, shadow) "
                  "VALUES(?, ?, ?, ?, ?, ?, ?) ON CONFLICT(name) DO UPDATE SET "
                  "policy = excluded.policy, kept = excluded.kept, "
                  "learned_anew = excluded.learned_anew, k = excluded.k, "
                  "close_after = excluded.close_after, shadow = excluded.shadow RETURNING id");
  Rows rows = store.rows(model.name, model.said, model.kept, model.learned_anew,
                         std::uint64_t{model.k}, model.close_after, model.shadow ? 1 : 0);
  if (!rows.next()) throw StorageError("a model could not be stored");
  return rows.number(0);
}

}  // namespace dcmrank::service
