#include "dcmrank/service/teacher.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "dcmrank/base/text.h"
#include "dcmrank/ledger/rules.h"

namespace dcmrank::service {

Teacher::Teacher(StoreWriter& store, QueryCache& cache, const Models& models,
                 const Lifetimes& lifetimes, Metrics& metrics)
    : store_(&store),
      cache_(&cache),
      models_(&models),
      lifetimes_(lifetimes),
      metrics_(&metrics),
      list_(models.get()) {
  count_held();
}

void Teacher::begin(Time now) {
  now_ = now;
  list_ = models_->get();
  held_before_ = held_;
  store_->begin();
}

void Teacher::commit() {
  for (Working* work : order_) {
    if (!work->changed) continue;
    if (work->impression.state != ImpressionState::kOpen) teach(*work);
    store_->update(work->impression, std::nullopt);
  }
  for (const auto& [key, delta] : deltas_) {
    store_->add(key, delta, StoreWriter::Into::kState, now_);
  }
  store_->commit();
  if (set_aside_) damaged_.clear();
  for (const Working* work : order_) {
    if (work->state_before == work->impression.state) continue;
    if (work->state_before == ImpressionState::kOpen) {
      metrics_->closed(work->impression.state).Increment();
    }
  }
  metrics_->purged.Increment(static_cast<double>(purged_));
  auto taught = std::exchange(imported_, {});
  for (const Applied& applied : applied_) {
    if (applied.before.counted) metrics_->corrections.Increment();
    ++taught[applied.entry->key.model];
  }
  for (const auto& [model, pages] : taught) taught_(model, pages);
  const std::set<QueryKey> stale = std::move(stale_);
  finish();
  for (const QueryKey& key : stale) cache_->drop(key);
}

void Teacher::rollback() {
  // NOLINTNEXTLINE(modernize-loop-convert): clang 14 does not take std::views
  for (auto at = applied_.rbegin(); at != applied_.rend(); ++at) {
    const std::unique_lock lock(at->entry->mutex);
    const Impression& impression = at->work->impression;
    apply(at->entry->state, impression.page, impression.contribution, -1);
    apply(at->entry->state, impression.page, at->before, 1);
  }
  finish();
  held_ = held_before_;
  store_->rollback();
}

// The transaction is over: memory and store agree.
void Teacher::finish() {
  for (auto& [key, entry] : touched_) {
    cache_->measure(*entry);
    cache_->unpin(*entry);
  }
  working_.clear();
  order_.clear();
  touched_.clear();
  deltas_.clear();
  applied_.clear();
  stale_.clear();
  imported_.clear();
  purged_ = 0;
  set_aside_ = false;
}

Time Teacher::due(const Impression& impression) const {
  const auto model = list_->by_id.find(impression.model);
  const bool known = model != list_->by_id.end();
  return due_time(impression, known ? model->second->closes_after : lifetimes_.close_after);
}

void Teacher::add(const NewImpression& given) {
  const auto model = list_->by_id.find(given.model);
  if (model == list_->by_id.end()) return;  // erased meanwhile
  const Time due = given.made + model->second->closes_after;
  if (marks_.empty()) {
    store_->insert(given, due);
  } else {
    NewImpression impression = given;
    if (!erase_marked(impression)) return;
    store_->insert(impression, due);
  }
  if (!given.id.empty() && !held_.empty()) release(given);
}

Teacher::Working& Teacher::work_on(Impression impression) {
  const std::int64_t model = impression.id.empty() ? 0 : impression.model;
  auto& place = working_[{model, impression_id(impression)}];
  if (place) return *place;
  place = std::make_unique<Working>();
  place->state_before = impression.state;
  place->impression = std::move(impression);
  order_.push_back(place.get());
  return *place;
}

// An id that the service made is known whatever the model.
Teacher::Working* Teacher::find(std::int64_t model, std::string_view id) {
  const std::int64_t owner = parse_made_id(id) ? 0 : model;
  const auto at = working_.find({owner, std::string(id)});
  Working* work = at == working_.end() ? nullptr : at->second.get();
  if (work == nullptr) {
    auto found = store_->find(owner, id);
    if (!found) return nullptr;
    work = &work_on(std::move(*found));
  }
  return model == 0 || work->impression.model == model ? work : nullptr;
}

EventResult Teacher::take(const Event& event, const Caller& caller) {
  if (!event.model.empty() && !caller.model.empty() && event.model != caller.model) {
    return {EventStatus::kRejected, "the key is for another model"};
  }
  // Whoever may report to all models need not name one for an id that the service made.
  const bool any = event.model.empty() && caller.model.empty() && parse_made_id(event.impression);
  const auto meant = list_->by_name.find(meant_model(event.model, caller.model));
  const Model* model = any || meant == list_->by_name.end() ? nullptr : meant->second.get();
  if (!any && model == nullptr) {
    if (!event.model.empty()) return {EventStatus::kRejected, "there is no such model"};
    return {EventStatus::kUnknown, "there is no such impression"};
  }
  Working* work = nullptr;
  try {
    work = find(any ? 0 : model->id, event.impression);
  } catch (const StorageError&) {
    throw;
  } catch (const std::runtime_error& error) {  // of this one; others shall not suffer for it
    return {EventStatus::kRejected, error.what()};
  }
  if (any && work == nullptr) return {EventStatus::kUnknown, "there is no such impression"};
  const std::int64_t owner = any ? work->impression.model : model->id;
  std::string hash;
  if (!event.id.empty()) {
    hash = event_hash(encode(event));
    if (const auto known = store_->event(owner, event.id)) {
      if (*known == hash) return {EventStatus::kDuplicate, "this event was taken before"};
      return {EventStatus::kRejected, "the event id was used for another event"};
    }
  }
  if (work == nullptr) return hold(event, owner, caller);
  EventResult result = take_event(work->impression, event, now_, lifetimes_);
  if (result.status != EventStatus::kAccepted) return result;
  work->changed = true;
  if (!event.id.empty()) {
    store_->insert_event(owner, event.id, hash);
    work->impression.events.push_back(event.id);
  }
  return result;
}

EventResult Teacher::hold(const Event& event, std::int64_t model, const Caller& caller) {
  if (parse_made_id(event.impression)) {
    return {EventStatus::kUnknown, "there is no such impression"};
  }
  std::uint64_t& held = held_[caller.name];
  if (held >= caller.held) {
    return {EventStatus::kUnknown, "there is no such impression, and too many events are held"};
  }
  store_->hold({model, caller.name, now_ + lifetimes_.hold, event});
  ++held;
  metrics_->held.Increment();
  return {EventStatus::kUnknown,
          fmt::format("held for {} s: it counts if model {} shows an impression of this id",
                      lifetimes_.hold / 1000, quote(list_->by_id.at(model)->name))};
}

void Teacher::release(const NewImpression& impression) {
  const std::string& model = list_->by_id.at(impression.model)->name;
  for (HeldEvent& held : store_->release(impression.model, impression.id)) {
    if (auto at = held_.find(held.caller); at != held_.end() && --at->second == 0) held_.erase(at);
    held.event.model = model;
    metrics_->event(take(held.event, {held.caller, "", 0}).status).Increment();
  }
}

void Teacher::count_held() {
  held_.clear();
  for (const auto& [caller, count] : store_->held()) held_[caller] = count;
}

}  // namespace dcmrank::service
