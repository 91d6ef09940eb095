#include "dcmrank/store/sqlite_reads.h"

#include <array>
#include <utility>

#include <fmt/format.h>

namespace dcmrank::service {
namespace {

std::string select_impression(const char* condition) {
  return fmt::format("SELECT {} FROM {} WHERE {}", kImpressionColumns, kImpressions, condition);
}

void add_item(QueryState& state, std::string_view name, std::string_view row) {
  if (!row.empty()) state.items.add(name, parse_row(row), 1);
}

// What no key of another table can be wrong about, SQLite checks itself.
struct Rule {
  const char* sql;
  const char* fault;
};
constexpr auto kRules = std::to_array<Rule>({
    {"SELECT i.number FROM impression AS i LEFT JOIN query AS q ON q.id = i.query "
     "WHERE q.id IS NULL LIMIT 5",
     "impression {} has no query"},
    {"SELECT i.number FROM impression AS i JOIN query AS q ON q.id = i.query "
     "WHERE q.model <> i.model LIMIT 5",
     "impression {} is of another model than its query"},
    {"SELECT q.id FROM query AS q LEFT JOIN model AS m ON m.id = q.model WHERE m.id IS NULL LIMIT "
     "5",
     "query {} has no model"},
    {"SELECT t.query FROM item AS t LEFT JOIN query AS q ON q.id = t.query WHERE q.id IS NULL "
     "LIMIT 5",
     "an item of query {} has no query"},
    {"SELECT n.number FROM named AS n LEFT JOIN impression AS i ON i.number = n.number "
     "WHERE i.number IS NULL OR i.model <> n.model LIMIT 5",
     "a name of impression {} has no impression"},
    {"SELECT i.number FROM impression AS i LEFT JOIN named AS n ON n.model = i.model AND n.id = "
     "i.id "
     "WHERE i.id IS NOT NULL AND n.number IS NOT i.number LIMIT 5",
     "impression {} is not found by its name"},
    {"SELECT number FROM named WHERE length(answer) > 0 AND "
     "(substr(answer, 1, 1) <> x'7b' OR substr(answer, -1) <> x'7d') LIMIT 5",
     "the stored answer of impression {} is damaged"},
});

constexpr const char* kMissingTables =
    "SELECT column1 FROM (VALUES('meta'), ('model'), ('query'), ('item'), ('impression'), "
    "('named'), ('event'), ('held')) WHERE column1 NOT IN (SELECT name FROM sqlite_master)";

}  // namespace

Impression read_impression(const Rows& row) {
  Impression result;
  result.number = static_cast<std::uint64_t>(row.number(0));
  result.word = static_cast<std::uint32_t>(row.number(1));
  result.model = row.number(2);
  if (row.is_null(3)) throw std::runtime_error("an impression's query is missing");
  result.query = row.text(3);
  result.made = row.number(4);
  result.news = row.number(5);
  result.state = static_cast<ImpressionState>(row.number(6));
  if (!row.is_null(7)) result.seen = static_cast<std::size_t>(row.number(7));
  result.id = row.text(8);
  result.page = decode_page(row.text(9));
  result.clicks = decode_clicks(row.text(10), result.page.items.size());
  result.contribution = decode_contribution(row.text(11));
  result.events = decode_texts(row.text(12));
  return result;
}

template <class Interface>
SqliteReads<Interface>::SqliteReads(Database database)
    : database_(std::move(database)),
      id_(database_, "SELECT id FROM query WHERE model = ? AND name = ?"),
      query_(database_,
             "SELECT id, rounds, positions, base_rounds, base_positions FROM query "
             "WHERE model = ? AND name = ?"),
      items_(database_, "SELECT name, state, base FROM item WHERE query = ?"),
      list_(database_,
            "SELECT name, rounds FROM query WHERE model = ? AND name > ? ORDER BY name LIMIT ?"),
      learned_(database_, "SELECT 1 FROM query WHERE model = ? AND rounds > 0 LIMIT 1"),
      impression_(database_, select_impression("i.number = ?").c_str()),
      number_(database_, "SELECT number FROM named WHERE model = ? AND id = ?"),
      named_(database_, "SELECT body, answer FROM named WHERE model = ? AND id = ?") {}

template <class Interface>
std::vector<Model> SqliteReads<Interface>::models() {
  Statement select(database_,
                   "SELECT id, name, policy, k, close_after, shadow, kept, learned_anew FROM model "
                   "WHERE name IS NOT NULL ORDER BY id");
  std::vector<Model> models;
  for (Rows rows = select.rows(); rows.next();) {
    Model model;
    model.id = rows.number(0);
    model.name = rows.text(1);
    set_policy(model, rows.text(2));
    model.k = static_cast<std::size_t>(rows.number(3));
    model.close_after = rows.number(4);
    model.shadow = rows.number(5) != 0;
    model.kept = rows.text(6);
    model.learned_anew = rows.number(7);
    check_stored_model(model);
    models.push_back(std::move(model));
  }
  return models;
}

template <class Interface>
std::int64_t SqliteReads<Interface>::id_of(const QueryKey& key) {
  Rows rows = id_.rows(key.model, key.query);
  return rows.next() ? rows.number(0) : 0;
}

template <class Interface>
bool SqliteReads<Interface>::load(const QueryKey& key, QueryState& state, Standing& /*standing*/) {
  // Open to the end: the query and its items are of one moment.
  Rows found = query_.rows(key.model, key.query);
  if (!found.next()) return false;
  state.rounds = static_cast<std::uint64_t>(found.number(1));
  state.positions = decode_rows(found.text(2));
  for (Rows items = items_.rows(found.number(0)); items.next();) {
    add_item(state, items.text(0), items.text(1));
  }
  return true;
}

template <class Interface>
std::vector<StoreReader::Summary> SqliteReads<Interface>::queries(std::int64_t model,
                                                                  std::string_view after,
                                                                  std::size_t most) {
  std::vector<StoreReader::Summary> result;
  for (Rows rows = list_.rows(model, after, std::uint64_t{most}); rows.next();) {
    result.push_back({std::string(rows.text(0)), static_cast<std::uint64_t>(rows.number(1))});
  }
  return result;
}

template <class Interface>
bool SqliteReads<Interface>::has_learned(std::int64_t model) {
  return learned_.rows(model).next();
}

template <class Interface>
std::optional<Impression> SqliteReads<Interface>::find(std::uint64_t number) {
  Rows rows = impression_.rows(number);
  if (!rows.next()) return std::nullopt;
  return read_impression(rows);
}

template <class Interface>
std::optional<Impression> SqliteReads<Interface>::find(std::int64_t model, std::string_view id) {
  if (const auto made = parse_made_id(id)) {
    auto found = find(made->number);
    const bool right = found && found->word == made->word && found->id.empty() &&
                       (model == 0 || found->model == model);
    return right ? std::move(found) : std::nullopt;
  }
  const auto number = [&]() -> std::optional<std::uint64_t> {
    Rows rows = number_.rows(model, id);
    if (!rows.next()) return std::nullopt;
    return static_cast<std::uint64_t>(rows.number(0));
  }();
  return number ? find(*number) : std::nullopt;
}

template <class Interface>
StoreReader::OwnId SqliteReads<Interface>::own_id(std::int64_t model, std::string_view id) {
  Rows rows = named_.rows(model, id);
  if (!rows.next()) return {};
  return {StoreReader::Named{std::string(rows.text(0)), std::string(rows.text(1))}, 0};
}

template <class Interface>
bool SqliteReads<Interface>::recount(const QueryKey& key, QueryState& state, QueryState& base,
                                     const std::function<void(const Impression&)>& each) {
  Rows found = query_.rows(key.model, key.query);  // open to the end, as above
  if (!found.next()) return false;
  state.rounds = static_cast<std::uint64_t>(found.number(1));
  state.positions = decode_rows(found.text(2));
  base.rounds = static_cast<std::uint64_t>(found.number(3));
  base.positions = decode_rows(found.text(4));
  for (Rows items = items_.rows(found.number(0)); items.next();) {
    add_item(state, items.text(0), items.text(1));
    add_item(base, items.text(0), items.text(2));
  }
  Statement all(database_, select_impression("i.query = ? ORDER BY i.number").c_str());
  for (Rows rows = all.rows(found.number(0)); rows.next();) each(read_impression(rows));
  return true;
}

template <class Interface>
std::vector<std::string> SqliteReads<Interface>::check() {
  std::vector<std::string> faults;
  const std::string found = database_.text("PRAGMA integrity_check(1)");
  if (found != "ok") faults.push_back(fmt::format("the file is damaged: {}", found));
  Statement missing(database_, kMissingTables);
  for (Rows rows = missing.rows(); rows.next();) {
    faults.push_back(fmt::format("table {} is missing", rows.text(0)));
  }
  if (!faults.empty()) return faults;  // what is said about others would not help
  for (const Rule& rule : kRules) {
    Statement broken(database_, rule.sql);
    for (Rows rows = broken.rows(); rows.next();) {
      faults.push_back(fmt::format(fmt::runtime(rule.fault), rows.number(0)));
    }
  }
  return faults;
}

template <class Interface>
std::vector<std::string> SqliteReads<Interface>::unfinished() {
  std::vector<std::string> lines;
  Statement erasing(database_, "SELECT id FROM model WHERE name IS NULL");
  for (Rows rows = erasing.rows(); rows.next();) lines.push_back(being_erased(rows.number(0)));
  return lines;
}

template <class Interface>
std::vector<std::string> SqliteReads<Interface>::lost_events(const Impression& impression) {
  if (impression.events.empty()) return {};
  Statement event(database_, "SELECT 1 FROM event WHERE model = ? AND id = ?");
  std::vector<std::string> lost;
  for (const std::string& id : impression.events) {
    if (!event.rows(impression.model, id).next()) lost.push_back(id);
  }
  return lost;
}

template class SqliteReads<StoreReader>;
template class SqliteReads<StoreWriter>;

}  // namespace dcmrank::service
