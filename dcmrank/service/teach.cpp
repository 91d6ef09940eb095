// The part of the writer's transaction in which impressions teach.
#include <algorithm>
#include <utility>

#include "dcmrank/base/error.h"
#include "dcmrank/service/teacher.h"

namespace dcmrank::service {

Teacher::Touched& Teacher::touch(std::int64_t model, std::int64_t query) {
  if (const auto at = touched_.find(query); at != touched_.end()) return at->second;
  Rows name = query_name_.rows(query);
  if (!name.next()) throw std::runtime_error("an impression's query is not there");
  auto entry = cache_->get(model, name.text(0), queries_, true);
  entry->id = query;
  return touched_.emplace(query, Touched{std::move(entry), {}, false}).first->second;
}

Teacher::Touched& Teacher::touch(const std::shared_ptr<QueryEntry>& entry) {
  const auto [at, added] = touched_.emplace(query_id(*entry), Touched{entry, {}, false});
  if (!added) cache_->unpin(*entry);  // it is pinned already
  return at->second;
}

// The model's policy may have got options since the list was shown that do not fit its length.
Learner& Teacher::learner_for(const Model& model, std::size_t positions) {
  try {
    return learners_.get(model.policy, positions);
  } catch (const InputError&) {
    return learners_.get(parse_policy_spec(model.policy.name), positions);
  }
}

void Teacher::teach(Working& work) {
  Impression& impression = work.impression;
  Touched& touched = touch(impression.model, impression.query);
  const Model& model = *list_->by_id.at(impression.model);
  const Page& page = impression.page;
  Learner& learner = learner_for(model, page.items.size());
  QueryEntry& entry = *touched.entry;
  Contribution before = std::move(impression.contribution);
  Contribution after;
  {
    const std::unique_lock lock(entry.mutex);
    apply(entry.state, page, before, impression.number, -1);
    if (impression.number > entry.state.forgotten) {
      after = learner.learn(entry.state, page, impression.seen_clicks());
      apply(entry.state, page, after, impression.number, 1);
    }
  }
  impression.contribution = after;
  touched.changed = true;
  for (const std::string& item : page.items) {
    if (impression.number > entry.state.forgotten_until(item)) touched.items.insert(item);
  }
  applied_.push_back({&entry, impression.number, page, std::move(before), std::move(after)});
}

void Teacher::write(const Working& work) {
  const Impression& impression = work.impression;
  const std::string clicks(impression.clicks.begin(), impression.clicks.end());
  const std::string contribution = encode(impression.contribution);
  const std::string events = encode(impression.events);
  const auto state = static_cast<std::int64_t>(impression.state);
  if (impression.seen) {
    update_impression_.run(impression.news, state, std::uint64_t{*impression.seen},
                           BlobView{clicks}, BlobView{contribution}, BlobView{events},
                           impression.number);
  } else {
    update_impression_.run(impression.news, state, nullptr, BlobView{clicks},
                           BlobView{contribution}, BlobView{events}, impression.number);
  }
}

void Teacher::write(const Touched& touched) {
  const QueryEntry& entry = *touched.entry;
  const std::int64_t id = entry.id;
  const std::string positions = encode(entry.state.positions);
  update_query_.run(entry.state.rounds, BlobView{positions}, id);
  for (const std::string& item : touched.items) {
    const std::string row = row_blob(entry.state.items.find(item));
    upsert_item_.run(id, item, BlobView{row});
  }
}

void Teacher::forget_query(const Model& model, std::string_view query, std::uint64_t until) {
  const auto entry = cache_->get(model.id, query, queries_, true);
  Touched& touched = touch(entry);
  if (touched.entry != entry || touched.changed) throw std::logic_error("forget stands alone");
  Statement forget(*database_,
                   "UPDATE query SET rounds = 0, base_rounds = 0, positions = NULL, "
                   "base_positions = NULL, forgotten = ? WHERE id = ?");
  forget.run(until, std::int64_t{entry->id});
  Statement items(*database_, "DELETE FROM item WHERE query = ?");
  items.run(std::int64_t{entry->id});
  const std::unique_lock lock(entry->mutex);
  replaced_.push_back({entry.get(), std::move(entry->state)});
  entry->state = QueryState();
  entry->state.forgotten = until;
}

bool Teacher::forget_item(const Model& model, std::string_view query, std::string_view item,
                          std::uint64_t until) {
  const auto entry = cache_->get(model.id, query, queries_, true);
  touch(entry);
  if (entry->state.items.find(item).empty()) return false;
  Statement forget(*database_,
                   "UPDATE item SET state = NULL, base = NULL, forgotten = ? WHERE query = ? AND "
                   "name = ?");
  forget.run(until, std::int64_t{entry->id}, item);
  const std::unique_lock lock(entry->mutex);
  replaced_.push_back({entry.get(), entry->state});
  entry->state.items.forget(item);
  entry->state.forgotten_items.insert_or_assign(std::string(item), until);
  return true;
}

// Adds to the base as well: state = base + the impressions that are recorded.
void Teacher::import(const Model& model, const Import& import) {
  const auto entry = cache_->get(model.id, import.query, queries_, true);
  touch(entry);
  const std::int64_t id = entry->id;
  const std::unique_lock lock(entry->mutex);
  replaced_.push_back({entry.get(), entry->state});
  QueryState& state = entry->state;
  if (state.rounds > std::uint64_t{1} << 62U) throw InputError("the query has too many rounds");
  state.rounds += import.rounds;
  state.positions.resize(std::max(state.positions.size(), import.positions.size()));
  Statement base(*database_, "SELECT base_positions FROM query WHERE id = ?");
  auto positions = [&] {
    Rows rows = base.rows(id);
    return rows.next() ? decode_rows(rows.text(0)) : std::vector<Row>();
  }();
  positions.resize(std::max(positions.size(), import.positions.size()));
  for (std::size_t k = 0; k < import.positions.size(); ++k) {
    add_row(state.positions[k], import.positions[k], 1);
    add_row(positions[k], import.positions[k], 1);
  }
  const std::string now = encode(state.positions);
  const std::string then = encode(positions);
  Statement query(*database_,
                  "UPDATE query SET rounds = ?, base_rounds = base_rounds + ?, positions = ?, "
                  "base_positions = ? WHERE id = ?");
  query.run(state.rounds, import.rounds, BlobView{now}, BlobView{then}, id);
  Statement find(*database_, "SELECT base FROM item WHERE query = ? AND name = ?");
  Statement store(*database_,
                  "INSERT INTO item(query, name, state, base) VALUES(?, ?, ?, ?) ON "
                  "CONFLICT(query, name) DO UPDATE SET state = excluded.state, base = "
                  "excluded.base");
  for (const auto& [item, row] : import.items) {
    Row sum;
    if (Rows rows = find.rows(id, item); rows.next() && !rows.text(0).empty()) {
      sum = BlobReader(rows.text(0)).row();
    }
    add_row(sum, row, 1);
    state.items.add(item, row, 1);
    const std::string all = row_blob(state.items.find(item));
    const std::string base_row = row_blob(sum);
    store.run(id, item, BlobView{all}, BlobView{base_row});
  }
}

}  // namespace dcmrank::service
