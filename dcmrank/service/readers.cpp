#include "dcmrank/service/readers.h"

#include <fmt/format.h>

namespace dcmrank::service {

std::vector<Model> read_models(Database& database) {
  Statement rows(database, "SELECT id, name, policy, k, close_after, shadow FROM model");
  std::vector<Model> models;
  while (rows.step()) {
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
  const bool found = find_.bind(model, query).step();
  const std::int64_t id = found ? find_.number(0) : 0;
  find_.reset();
  return id;
}

std::int64_t QueryReader::load(std::int64_t model, std::string_view query, QueryState& state) {
  if (!query_.bind(model, query).step()) return 0;
  const std::int64_t id = query_.number(0);
  state.rounds = static_cast<std::uint64_t>(query_.number(1));
  state.positions = decode_rows(query_.text(2));
  state.forgotten = static_cast<std::uint64_t>(query_.number(3));
  items_.bind(id);
  while (items_.step()) {
    const std::string_view name = items_.text(0);
    if (!items_.text(1).empty()) state.items.add(name, BlobReader(items_.text(1)).row(), 1);
    if (const auto until = items_.number(2); until != 0) {
      state.forgotten_items.emplace(name, static_cast<std::uint64_t>(until));
    }
  }
  query_.reset();  // only now: query and items are of one snapshot
  return id;
}

std::vector<QueryReader::Summary> QueryReader::list(std::int64_t model, std::string_view after,
                                                    std::int64_t limit) {
  std::vector<Summary> result;
  list_.bind(model, after, limit);
  while (list_.step()) {
    result.push_back({std::string(list_.text(0)), static_cast<std::uint64_t>(list_.number(1))});
  }
  return result;
}

ImpressionReader::ImpressionReader(Database& database)
    : find_(database,
            fmt::format("SELECT {} FROM impression WHERE number = ?", kImpressionColumns).c_str()),
      number_(database, "SELECT number FROM named WHERE id = ?"),
      named_(database, "SELECT body, answer FROM named WHERE id = ?") {}

std::optional<Impression> ImpressionReader::find(std::uint64_t number) {
  std::optional<Impression> result;
  if (find_.bind(number).step()) result = read_impression(find_);
  find_.reset();
  return result;
}

std::optional<Impression> ImpressionReader::find(std::string_view id) {
  if (const auto made = parse_made_id(id)) {
    if (auto found = find(made->number); found && found->word == made->word) return found;
    return std::nullopt;
  }
  const bool found = number_.bind(id).step();
  const auto number = found ? static_cast<std::uint64_t>(number_.number(0)) : 0;
  number_.reset();
  return found ? find(number) : std::nullopt;
}

std::optional<ImpressionReader::Named> ImpressionReader::named(std::string_view id) {
  std::optional<Named> result;
  if (named_.bind(id).step()) {
    result = Named{std::string(named_.text(0)), std::string(named_.text(1))};
  }
  named_.reset();
  return result;
}

Impression read_impression(const Statement& row) {
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
