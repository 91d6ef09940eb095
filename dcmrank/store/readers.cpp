#include "dcmrank/store/readers.h"

#include <fmt/format.h>

namespace dcmrank::service {

std::vector<Model> read_models(Database& database) {
  Statement select(database, "SELECT id, name, policy, k, close_after, shadow FROM model");
  std::vector<Model> models;
  for (Rows rows = select.rows(); rows.next();) {
    Model model;
    model.id = rows.number(0);
    model.name = rows.text(1);
    model.policy = parse_policy_spec(rows.text(2));
    model.k = static_cast<std::size_t>(rows.number(3));
    model.close_after = rows.number(4);
    model.shadow = rows.number(5) != 0;
    check_model(model);
    models.push_back(std::move(model));
  }
  return models;
}

QueryReader::QueryReader(Database& database)
    : find_(database, "SELECT id FROM query WHERE model = ? AND name = ?"),
      query_(database,
             "SELECT id, rounds, positions, forgotten FROM query WHERE model = ? AND name = ?"),
      items_(database, "SELECT name, state, forgotten FROM item WHERE query = ?"),
      list_(database,
            "SELECT name, rounds FROM query WHERE model = ? AND name > ? ORDER BY name LIMIT ?") {}

std::int64_t QueryReader::find(std::int64_t model, std::string_view query) {
  Rows rows = find_.rows(model, query);
  return rows.next() ? rows.number(0) : 0;
}

std::int64_t QueryReader::load(std::int64_t model, std::string_view query, QueryState& state) {
  Rows found = query_.rows(model, query);  // open to the end: query and items are of one snapshot
  if (!found.next()) return 0;
  const std::int64_t id = found.number(0);
  state.rounds = static_cast<std::uint64_t>(found.number(1));
  state.positions = decode_rows(found.text(2));
  state.forgotten = static_cast<std::uint64_t>(found.number(3));
  for (Rows items = items_.rows(id); items.next();) {
    const std::string_view name = items.text(0);
    if (!items.text(1).empty()) state.items.add(name, BlobReader(items.text(1)).row(), 1);
    if (const auto until = items.number(2); until != 0) {
      state.forgotten_items.emplace(name, static_cast<std::uint64_t>(until));
    }
  }
  return id;
}

std::vector<QueryReader::Summary> QueryReader::list(std::int64_t model, std::string_view after,
                                                    std::int64_t limit) {
  std::vector<Summary> result;
  for (Rows rows = list_.rows(model, after, limit); rows.next();) {
    result.push_back({std::string(rows.text(0)), static_cast<std::uint64_t>(rows.number(1))});
  }
  return result;
}

ImpressionReader::ImpressionReader(Database& database)
    : find_(database,
            fmt::format("SELECT {} FROM impression WHERE number = ?", kImpressionColumns).c_str()),
      number_(database, "SELECT number FROM named WHERE id = ?"),
      named_(database, "SELECT body, answer FROM named WHERE id = ?") {}

std::optional<Impression> ImpressionReader::find(std::uint64_t number) {
  Rows rows = find_.rows(number);
  if (!rows.next()) return std::nullopt;
  return read_impression(rows);
}

std::optional<Impression> ImpressionReader::find(std::string_view id) {
  if (const auto made = parse_made_id(id)) {
    if (auto found = find(made->number); found && found->word == made->word) return found;
    return std::nullopt;
  }
  Rows rows = number_.rows(id);
  if (!rows.next()) return std::nullopt;
  return find(static_cast<std::uint64_t>(rows.number(0)));
}

std::optional<ImpressionReader::Named> ImpressionReader::named(std::string_view id) {
  Rows rows = named_.rows(id);
  if (!rows.next()) return std::nullopt;
  return Named{std::string(rows.text(0)), std::string(rows.text(1))};
}

Impression read_impression(const Rows& row) {
  Impression result;
  result.number = static_cast<std::uint64_t>(row.number(0));
  result.word = static_cast<std::uint32_t>(row.number(1));
  result.model = row.number(2);
  result.query = row.number(3);
  result.made = row.number(4);
  result.news = row.number(5);
  result.state = static_cast<ImpressionState>(row.number(6));
  if (!row.is_null(7)) result.seen = static_cast<std::size_t>(row.number(7));
  result.id = row.text(8);
  result.page = decode_page(row.text(9));
  const std::string_view clicks = row.text(10);
  result.clicks.assign(clicks.begin(), clicks.end());
  result.clicks.resize(result.page.items.size());
  result.contribution = decode_contribution(row.text(11));
  result.events = decode_texts(row.text(12));
  return result;
}

}  // namespace dcmrank::service
