// From each layout of the database to the next. A step is never changed once it was released; the
// tables that it makes are written out here as soon as there is a later layout.
#include <array>

#include <fmt/format.h>

#include "dcmrank/ledger/rules.h"
#include "dcmrank/store/layout.h"

namespace dcmrank::service {
namespace {

constexpr const char* kRenameOne = R"(
ALTER TABLE meta RENAME TO old_meta;
ALTER TABLE model RENAME TO old_model;
ALTER TABLE query RENAME TO old_query;
ALTER TABLE item RENAME TO old_item;
ALTER TABLE impression RENAME TO old_impression;
ALTER TABLE named RENAME TO old_named;
ALTER TABLE event RENAME TO old_event;
ALTER TABLE held RENAME TO old_held;
DROP INDEX held_of_impression;
)";

// `recommended` was stored as what it stood for then. Whatever was forgotten under layout 1 is left
// behind, text and all. When something is due is found out when it is looked at.
constexpr const char* kCopyOne = R"(
INSERT INTO meta SELECT name, CAST(value AS INTEGER) FROM old_meta WHERE name = 'starts';
INSERT INTO model(id, name, policy, kept, learned_anew, k, close_after, shadow)
  SELECT id, name, iif(policy = 'dcm-ts:counting=revised-em', 'recommended', policy),
    iif(policy = 'dcm-ts:counting=revised-em', 'dcm', ''), 0, k, close_after, shadow FROM old_model;
INSERT INTO query(id, model, name, used, rounds, positions, base_rounds, base_positions)
  SELECT id, model, name, CAST(strftime('%s') AS INTEGER) * 1000, rounds,
    CAST(coalesce(positions, '') AS BLOB), base_rounds, CAST(coalesce(base_positions, '') AS BLOB)
  FROM old_query WHERE forgotten = 0 OR rounds > 0 OR base_rounds > 0 OR EXISTS(
    SELECT 1 FROM old_impression WHERE query = old_query.id AND number > old_query.forgotten);
INSERT INTO item SELECT query, name, CAST(strftime('%s') AS INTEGER) * 1000,
    CAST(coalesce(state, '') AS BLOB), CAST(coalesce(base, '') AS BLOB)
  FROM old_item WHERE state IS NOT NULL OR base IS NOT NULL;
INSERT INTO impression SELECT i.number, i.word, i.model, i.query, i.made, i.news,
    iif(i.state = 0, i.news, NULL), i.state, i.seen, nullif(i.id, ''), i.page, i.clicks, i.contribution, i.events
  FROM old_impression AS i LEFT JOIN old_query AS q ON q.id = i.query
  WHERE i.number > coalesce(q.forgotten, 0);
INSERT INTO named SELECT i.model, n.id, n.number, n.body, n.answer
  FROM old_named AS n JOIN impression AS i ON i.number = n.number;
)";

constexpr const char* kDropOne = R"(
DROP TABLE old_meta; DROP TABLE old_model; DROP TABLE old_query; DROP TABLE old_item;
DROP TABLE old_impression; DROP TABLE old_named; DROP TABLE old_event; DROP TABLE old_held;
)";

// Rows of layout 1: how many numbers, and each of them, signed.
Row old_row(BlobReader& reader) {
  Row row;
  const std::uint64_t size = reader.unsigned_number();
  for (std::uint64_t n = 0; n < size; ++n) row.append(n, reader.signed_number());
  return row;
}

std::vector<Row> old_rows(BlobReader& reader) {
  std::vector<Row> rows;
  for (auto n = reader.unsigned_number(); n > 0; --n) rows.push_back(old_row(reader));
  return rows;
}

// Writes all blobs of a column anew.
template <class Anew>
void rewrite(Database& database, const char* table, const char* column, const char* key,
             Anew anew) {
  Statement select(
      database,
      fmt::format("SELECT {1}, {2} FROM {0} WHERE length({2}) > 0", table, key, column).c_str());
  const bool two = std::string_view(key).find(',') != std::string_view::npos;
  const std::string update =
      fmt::format("UPDATE {} SET {} = ? WHERE ({}) = ({})", table, column, key, two ? "?, ?" : "?");
  Statement store(database, update.c_str());
  for (Rows rows = select.rows(); rows.next();) {
    BlobReader reader(rows.text(two ? 2 : 1));
    const std::string blob = anew(reader);
    if (two) {
      store.run(BlobView{blob}, rows.number(0), rows.text(1));
    } else {
      store.run(BlobView{blob}, rows.number(0));
    }
  }
}

void rewrite_rows(Database& database) {
  const auto row = [](BlobReader& reader) { return row_blob(old_row(reader)); };
  const auto rows = [](BlobReader& reader) { return encode(old_rows(reader)); };
  const auto contribution = [](BlobReader& reader) {
    Contribution result{.items = old_rows(reader), .positions = {}, .counted = true};
    result.positions = old_rows(reader);
    return encode(result);
  };
  for (const char* column : {"state", "base"})
    rewrite(database, "item", column, "query, name", row);
  for (const char* column : {"positions", "base_positions"}) {
    rewrite(database, "query", column, "id", rows);
  }
  rewrite(database, "impression", "contribution", "number", contribution);
}

// Ids of events belong to the model of the impression that took them.
void move_events(Database& database) {
  Statement impressions(database, "SELECT model, events FROM impression WHERE length(events) > 0");
  Statement find(database, "SELECT what FROM old_event WHERE id = ?");
  Statement insert(database, "INSERT OR IGNORE INTO event(model, id, hash) VALUES(?, ?, ?)");
  for (Rows rows = impressions.rows(); rows.next();) {
    for (const std::string& id : decode_texts(rows.text(1))) {
      Rows what = find.rows(id);
      if (!what.next()) continue;
      const std::string hash = event_hash(what.text(0));
      insert.run(rows.number(0), id, BlobView{hash});
    }
  }
}

void move_held(Database& database) {
  Statement select(database, "SELECT until, body FROM old_held");
  Statement find(database, "SELECT id FROM model WHERE name = ?");
  Statement insert(database,
                   "INSERT INTO held(model, impression, caller, until, item, body) "
                   "VALUES(?, ?, '', ?, ?, ?)");
  for (Rows rows = select.rows(); rows.next();) {
    BlobReader body(rows.text(1));
    const std::string_view named = body.text();
    const std::string model(named.empty() ? "default" : named);
    const std::string bytes(body.text());
    const Event event = decode_event(bytes);
    Rows owner = find.rows(model);
    if (!owner.next()) continue;
    insert.run(owner.number(0), event.impression, rows.number(0), event.item, BlobView{bytes});
  }
}

// The text of an item that was forgotten stood in the lists that it had been in.
void erase_forgotten_items(Database& database) {
  Statement forgotten(database, "SELECT query, name, forgotten FROM old_item WHERE forgotten > 0");
  Statement lists(database,
                  "SELECT number, page, contribution FROM impression WHERE query = ? AND "
                  "number <= ?");
  Statement store(database, "UPDATE impression SET page = ?, contribution = ? WHERE number = ?");
  Statement answer(database, "UPDATE named SET answer = x'' WHERE number = ?");
  for (Rows items = forgotten.rows(); items.next();) {
    for (Rows rows = lists.rows(items.number(0), items.number(2)); rows.next();) {
      Impression impression;
      impression.page = decode_page(rows.text(1));
      impression.contribution = decode_contribution(rows.text(2));
      if (!erase_item(impression, items.text(1))) continue;
      const std::string page = encode(impression.page);
      const std::string contribution = encode(impression.contribution);
      store.run(BlobView{page}, BlobView{contribution}, rows.number(0));
      answer.run(rows.number(0));
    }
  }
}

// Ids scoped by model; nothing that was erased leaves a trace; when impressions are due.
void from_one(Database& database) {
  database.execute(kRenameOne);
  create_tables(database);
  database.execute(kCopyOne);
  rewrite_rows(database);
  move_events(database);
  move_held(database);
  erase_forgotten_items(database);
  database.execute(kDropOne);
}

using Migration = void (*)(Database&);
constexpr std::array<Migration, kLayoutVersion - 1> kMigrations{from_one};

}  // namespace

void migrate(Database& database) {
  auto version = static_cast<std::size_t>(database.number("PRAGMA user_version"));
  if (version > kLayoutVersion) throw StorageError("its log has a later layout version");
  for (; version < kLayoutVersion; ++version) {
    database.execute("BEGIN IMMEDIATE");
    kMigrations.at(version - 1)(database);
    database.execute(fmt::format("PRAGMA user_version={}", version + 1).c_str());
    database.execute("COMMIT");
  }
}

}  // namespace dcmrank::service
