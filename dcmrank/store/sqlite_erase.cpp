// Erasure in SQLite. The connection writes zeros over what it deletes (secure_delete); what the log
// still has of it goes when the store is wiped.
#include "dcmrank/store/sqlite_writer.h"

namespace dcmrank::service {

// For a crash before it is done: the next start goes on. That something was erased is remembered
// for ever.
void SqliteWriter::mark_for_wiping() {
  database().execute(
      "INSERT INTO meta(name, value) VALUES('to_wipe', 1), ('erased', 1) ON CONFLICT(name) DO "
      "UPDATE SET value = value + 1");
}

// A late click brings back the text of what was erased, for as long as it is held.
void SqliteWriter::note_held_gone() {
  database().execute(
      "INSERT INTO meta(name, value) SELECT 'held_gone', 1 WHERE EXISTS(SELECT 1 FROM meta WHERE "
      "name = 'erased') ON CONFLICT(name) DO UPDATE SET value = value + 1");
}

void SqliteWriter::erase_query(std::int64_t id) {
  Statement select(database(),
                   "SELECT model, id, events, number, word FROM impression "
                   "WHERE query = ?");
  Statement drop_event(database(), "DELETE FROM event WHERE model = ? AND id = ?");
  Statement drop_named(database(), "DELETE FROM named WHERE model = ? AND id = ?");
  Statement drop_held(database(), "DELETE FROM held WHERE model = ? AND impression = ?");
  for (Rows rows = select.rows(id); rows.next();) {
    const std::int64_t model = rows.number(0);
    for (const std::string& event : decode_texts(rows.text(2))) drop_event.run(model, event);
    if (rows.text(1).empty()) continue;
    drop_named.run(model, rows.text(1));
    drop_held.run(model, rows.text(1));
  }
  for (const char* sql : {"DELETE FROM impression WHERE query = ?",
                          "DELETE FROM item WHERE query = ?", "DELETE FROM query WHERE id = ?"}) {
    Statement drop(database(), sql);
    drop.run(id);
  }
}

void SqliteWriter::erase_query(const QueryKey& key) {
  mark_for_wiping();
  erase_query(id_of(key));
  ids_.erase(key);
}

void SqliteWriter::erase_item(const QueryKey& key, std::string_view item) {
  mark_for_wiping();
  Statement drop(database(), "DELETE FROM item WHERE query = ? AND name = ?");
  drop.run(id_of(key), item);
  Statement held(database(), "DELETE FROM held WHERE model = ? AND item = ?");
  held.run(key.model, item);
}

void SqliteWriter::reset(const QueryKey& key) {
  const std::int64_t id = id_of(key);
  Statement query(database(),
                  "UPDATE query SET rounds = 0, base_rounds = 0, positions = x'', "
                  "base_positions = x'' WHERE id = ?");
  query.run(id);
  Statement items(database(), "DELETE FROM item WHERE query = ?");
  items.run(id);
}

bool SqliteWriter::erase_held(std::int64_t model, std::string_view id) {
  Statement drop(database(), "DELETE FROM held WHERE model = ? AND impression = ?");
  drop.run(model, id);
  const bool some = database().changes() > 0;
  if (some) mark_for_wiping();
  return some;
}

void SqliteWriter::drop_empty(const QueryKey& key) {
  mark_for_wiping();
  const std::int64_t id = id_of(key);
  Statement items(database(),
                  "DELETE FROM item WHERE query = ? AND is_zero(state) AND is_zero(base)");
  items.run(id);
  Statement query(database(),
                  "DELETE FROM query WHERE id = ?1 AND rounds = 0 AND base_rounds = 0 AND "
                  "NOT EXISTS(SELECT 1 FROM item WHERE query = ?1) AND "
                  "NOT EXISTS(SELECT 1 FROM impression WHERE query = ?1)");
  query.run(id);
  ids_.erase(key);
}

void SqliteWriter::erase_model(std::int64_t model) {
  mark_for_wiping();
  Statement hide(database(), "UPDATE model SET name = NULL WHERE id = ?");
  hide.run(model);
  Statement held(database(), "DELETE FROM held WHERE model = ?");
  held.run(model);
}

bool SqliteWriter::erase_some(std::size_t most) {
  const std::int64_t model = database().number("SELECT id FROM model WHERE name IS NULL LIMIT 1");
  if (model == 0) return false;
  Statement select(database(), "SELECT id FROM query WHERE model = ? LIMIT 100");
  Statement count(database(), "SELECT count(*) FROM impression WHERE query = ?");
  std::vector<std::int64_t> queries;
  for (Rows rows = select.rows(model); rows.next();) queries.push_back(rows.number(0));
  std::size_t erased = 0;
  for (const std::int64_t query : queries) {
    if (erased >= most) return true;
    Rows impressions = count.rows(query);
    erased += 1 + (impressions.next() ? static_cast<std::size_t>(impressions.number(0)) : 0);
    erase_query(query);
  }
  if (!queries.empty()) return true;
  Statement drop(database(), "DELETE FROM model WHERE id = ?");
  drop.run(model);
  mark_for_wiping();
  return true;
}

// Looks at items of the query, after the last one that was looked at, but at no more than `left` of
// them, and takes them off it. How many were not used.
std::size_t SqliteWriter::trim_items(std::int64_t query, Time before, std::size_t& left) {
  Statement select(database(),
                   "SELECT name, used < ? FROM item WHERE query = ? AND name > ? ORDER BY name "
                   "LIMIT ?");
  Statement drop(database(), "DELETE FROM item WHERE query = ? AND name = ?");
  const std::string after = half_trimmed_.query == query ? half_trimmed_.item : "";
  half_trimmed_ = {};
  std::string last;
  std::vector<std::string> unused;
  for (Rows rows = select.rows(before, query, after, std::uint64_t{left}); rows.next(); --left) {
    last = rows.text(0);
    if (rows.number(1) != 0) unused.push_back(last);
  }
  for (const std::string& name : unused) drop.run(query, name);
  if (left == 0) half_trimmed_ = {query, last};
  return unused.size();
}

// A query may have any number of items: of one that has many, some are looked at by each call, so
// that nobody waits for it.
std::vector<QueryKey> SqliteWriter::trim(Time before, std::size_t most) {
  constexpr std::size_t kItems = 10;  // a query, on average
  Statement select(database(),
                   "SELECT id, model, name, used < ?1 AND NOT EXISTS(SELECT 1 FROM impression "
                   "WHERE query = query.id) FROM query WHERE id > ?2 ORDER BY id LIMIT ?3");
  struct Looked {
    std::int64_t id;
    QueryKey key;
    bool unused;
  };
  std::vector<Looked> queries;
  for (Rows rows = select.rows(before, trimmed_, std::uint64_t{most}); rows.next();) {
    queries.push_back(
        {rows.number(0), {rows.number(1), std::string(rows.text(2))}, rows.number(3) != 0});
  }
  std::vector<QueryKey> changed;
  std::size_t left = kItems * most;
  for (Looked& query : queries) {
    const std::size_t removed = trim_items(query.id, before, left);
    const bool gone = left > 0 && query.unused;
    if (gone) erase_query(query.id);
    if (removed > 0 || gone) changed.push_back(std::move(query.key));
    if (left == 0) return changed;  // the next call goes on with this query
    trimmed_ = query.id;
  }
  if (queries.size() < most) trimmed_ = 0;
  return changed;
}

}  // namespace dcmrank::service
