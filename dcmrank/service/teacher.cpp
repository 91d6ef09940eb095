#include "dcmrank/service/teacher.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace dcmrank::service {

Teacher::Teacher(Database& database, QueryCache& cache, const Models& models,
                 const Lifetimes& lifetimes, const Limits& limits, Metrics& metrics)
    : database_(&database),
      cache_(&cache),
      models_(&models),
      lifetimes_(lifetimes),
      limits_(limits),
      metrics_(&metrics),
      queries_(database),
      impressions_(database),
      cursor_(static_cast<std::uint64_t>(
          database.number("SELECT value FROM meta WHERE name = 'cursor'"))),
      settled_(cursor_),
      held_(database.number("SELECT count(*) FROM held")),
      insert_query_(database, "INSERT INTO query(model, name) VALUES(?, ?)"),
      query_name_(database, "SELECT name FROM query WHERE id = ?"),
      insert_impression_(database,
                         "INSERT INTO impression(number, word, model, query, made, news, state, "
                         "id, page) VALUES(?, ?, ?, ?, ?, ?, 0, ?, ?)"),
      insert_named_(database, "INSERT INTO named(id, number, body, answer) VALUES(?, ?, ?, ?)"),
      update_impression_(database,
                         "UPDATE impression SET news = ?, state = ?, seen = ?, clicks = ?, "
                         "contribution = ?, events = ? WHERE number = ?"),
      update_query_(database, "UPDATE query SET rounds = ?, positions = ? WHERE id = ?"),
      upsert_item_(database,
                   "INSERT INTO item(query, name, state) VALUES(?, ?, ?) ON CONFLICT(query, name) "
                   "DO UPDATE SET state = excluded.state"),
      find_event_(database, "SELECT what FROM event WHERE id = ?"),
      insert_event_(database, "INSERT INTO event(id, what) VALUES(?, ?)"),
      insert_held_(database, "INSERT INTO held(impression, until, body) VALUES(?, ?, ?)"),
      find_held_(database, "DELETE FROM held WHERE impression = ? RETURNING body") {}

void Teacher::begin() {
  list_ = models_->get();
  held_before_ = held_;
  settled_before_ = settled_;
  if (database_->in_transaction()) database_->execute("ROLLBACK");
  database_->execute("BEGIN IMMEDIATE");
}

void Teacher::commit() {
  for (Working* work : order_) {
    if (!work->changed) continue;
    if (work->impression.state != ImpressionState::kOpen) teach(*work);
    write(*work);
  }
  for (const auto& [id, touched] : touched_) {
    if (touched.changed) write(touched);
  }
  database_->execute("COMMIT");
  for (const Working* work : order_) {
    if (work->state_before == work->impression.state) continue;
    if (work->state_before == ImpressionState::kOpen) {
      metrics_->closed(work->impression.state).Increment();
    }
  }
  metrics_->purged.Increment(static_cast<double>(purged_));
  for (const Applied& applied : applied_) {
    if (applied.before.counted) metrics_->corrections.Increment();
  }
  finish();
}

void Teacher::rollback() {
  // NOLINTBEGIN(modernize-loop-convert): clang 14 does not take std::views
  for (auto at = applied_.rbegin(); at != applied_.rend(); ++at) {
    const std::unique_lock lock(at->entry->mutex);
    apply(at->entry->state, at->page, at->after, at->number, -1);
    apply(at->entry->state, at->page, at->before, at->number, 1);
  }
  for (auto at = replaced_.rbegin(); at != replaced_.rend(); ++at) {
    const std::unique_lock lock(at->entry->mutex);
    at->entry->state = std::move(at->before);
  }
  // NOLINTEND(modernize-loop-convert)
  for (QueryEntry* entry : created_) entry->id = 0;
  finish();
  // From memory: a disk that fails to write may fail to read. What the sweep was about to close is
  // open still.
  held_ = held_before_;
  cursor_ = settled_ = settled_before_;
  waiting_.clear();
  waiting_numbers_.clear();
  if (database_->in_transaction()) database_->execute("ROLLBACK");
}

// The transaction is over: memory and database agree.
void Teacher::finish() {
  for (auto& [id, touched] : touched_) {
    cache_->measure(*touched.entry);
    cache_->unpin(*touched.entry);
  }
  working_.clear();
  order_.clear();
  touched_.clear();
  applied_.clear();
  replaced_.clear();
  created_.clear();
  purged_ = 0;
  kept_.clear();
}

std::int64_t Teacher::query_id(QueryEntry& entry) {
  if (const std::int64_t id = entry.id; id != 0) return id;
  std::int64_t id = queries_.find(entry.model, entry.name);
  if (id == 0) {
    insert_query_.run(entry.model, entry.name);
    id = database_->last_id();
    created_.push_back(&entry);
  }
  entry.id = id;
  return id;
}

void Teacher::add(const NewImpression& impression, Time now) {
  kept_.push_back(impression.query);
  if (impression.number <= cursor_) sweep_from(impression.number);
  const std::int64_t query = query_id(*impression.query);
  auto& insert = insert_impression_;
  const BlobView page{impression.page};
  if (impression.id.empty()) {
    return insert.run(impression.number, std::int64_t{impression.word}, impression.query->model,
                      query, impression.made, impression.made, nullptr, page);
  }
  insert.run(impression.number, std::int64_t{impression.word}, impression.query->model, query,
             impression.made, impression.made, impression.id, page);
  insert_named_.run(impression.id, impression.number, BlobView{impression.body},
                    BlobView{impression.answer});
  if (held_ > 0) release(impression.id, now);
}

Teacher::Working* Teacher::find(const std::string& id) {
  if (const auto at = working_.find(id); at != working_.end()) return at->second.get();
  auto found = impressions_.find(std::string_view(id));
  if (!found) return nullptr;
  auto work = std::make_unique<Working>();
  work->state_before = found->state;
  work->impression = std::move(*found);
  order_.push_back(work.get());
  return working_.emplace(id, std::move(work)).first->second.get();
}

EventResult Teacher::take(const Event& event, std::string_view model, Time now) {
  const std::string what = event.id.empty() ? std::string() : encode(event);
  if (!event.id.empty()) {
    if (Rows known = find_event_.rows(event.id); known.next()) {
      const bool same = known.text(0) == what;
      if (same) return {EventStatus::kDuplicate, "this event was taken before"};
      return {EventStatus::kRejected, "the event id was used for another event"};
    }
  }
  Working* work = find(event.impression);
  if (work == nullptr) return hold(event, model, now);
  if (!model.empty()) {
    const auto owner = list_->by_id.find(work->impression.model);
    if (owner == list_->by_id.end() || owner->second->name != model) {
      return {EventStatus::kUnknown, "there is no such impression"};
    }
  }
  EventResult result =
      event.type == Event::Type::kClick ? click(*work, event, now) : close(*work, event, now);
  if (result.status != EventStatus::kAccepted) return result;
  work->changed = true;
  if (work->impression.state == ImpressionState::kOpen) work->impression.news = now;
  if (!event.id.empty()) {
    insert_event_.run(event.id, BlobView{what});
    work->impression.events.push_back(event.id);
  }
  return result;
}

EventResult Teacher::click(Working& work, const Event& event, Time now) const {
  Impression& impression = work.impression;
  const auto& items = impression.page.items;
  const auto at = std::find(items.begin(), items.end(), event.item);
  if (at == items.end()) {
    return {EventStatus::kRejected, "the item is not in the impression"};
  }
  std::uint8_t& clicked = impression.clicks[static_cast<std::size_t>(at - items.begin())];
  if (clicked != 0) return {EventStatus::kDuplicate, "the item was clicked before"};
  if (impression.state != ImpressionState::kOpen &&
      now - impression.news > lifetimes_.correct_for) {
    return {EventStatus::kLate, "the impression closed too long ago"};
  }
  clicked = 1;
  return {};
}

// Of several close events the largest `seen` holds, so that their order does not matter.
EventResult Teacher::close(Working& work, const Event& event, Time now) const {
  Impression& impression = work.impression;
  const std::size_t size = impression.page.items.size();
  if (event.seen.value_or(0) > size) {
    return {EventStatus::kRejected, "seen is above the number of positions"};
  }
  if (impression.state == ImpressionState::kOpen) {
    impression.state = ImpressionState::kClosed;
    impression.seen = event.seen;
    impression.news = now;
    return {};
  }
  if (now - impression.news > lifetimes_.correct_for) {
    return {EventStatus::kLate, "the impression closed too long ago"};
  }
  const bool timed_out = impression.state == ImpressionState::kTimedOut;
  if (!timed_out && event.seen.value_or(size) <= impression.seen.value_or(size)) {
    return {EventStatus::kDuplicate, "the impression was closed before"};
  }
  impression.state = ImpressionState::kClosed;
  impression.seen = event.seen;
  return {};
}

EventResult Teacher::hold(const Event& event, std::string_view model, Time now) {
  if (parse_made_id(event.impression)) {
    return {EventStatus::kUnknown, "there is no such impression"};
  }
  if (held_ >= static_cast<std::int64_t>(limits_.held)) {
    return {EventStatus::kUnknown, "there is no such impression, and too many events are held"};
  }
  std::string body;
  put_text(body, model);
  put_text(body, encode(event));
  insert_held_.run(event.impression, now + lifetimes_.hold, BlobView{body});
  ++held_;
  metrics_->held.Increment();
  return {EventStatus::kUnknown,
          fmt::format("held for {} s: it counts if the impression comes", lifetimes_.hold / 1000)};
}

void Teacher::release(const std::string& id, Time now) {
  std::vector<std::pair<std::string, Event>> events;  // with the model that their caller may use
  for (Rows rows = find_held_.rows(id); rows.next(); --held_) {
    try {
      BlobReader body(rows.text(0));
      std::string model(body.text());
      events.emplace_back(std::move(model), decode_event(body.text()));
    } catch (const std::runtime_error&) {  // damaged: the impression shall not go with it
      metrics_->storage_errors.Increment();
    }
  }
  for (const auto& [model, event] : events) {
    metrics_->event(take(event, model, now).status).Increment();
  }
}

}  // namespace dcmrank::service
