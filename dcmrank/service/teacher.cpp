#include "dcmrank/service/teacher.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "dcmrank/base/text.h"
#include "dcmrank/ledger/rules.h"

namespace dcmrank::service {
namespace {

// Of an id that the service made.
constexpr const char* kNoneOfThisId =
    "no list of this id is stored: it was lost with its server, is on its way from another, or was "
    "removed; lists that are asked for with an \"id\" of their own, or \"durable\", are not lost";

std::uint64_t clicks_of(const Impression& impression) {
  const auto& clicks = impression.clicks;
  return static_cast<std::uint64_t>(
      std::count_if(clicks.begin(), clicks.end(), [](std::uint8_t click) { return click != 0; }));
}

}  // namespace

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
  looked_again_ = false;
  held_before_ = held_;
  store_->begin();
}

bool Teacher::follow_models() {
  if (!shared_) return false;
  follow_();
  const auto before = std::exchange(list_, models_->get());
  return list_ != before;
}

std::shared_ptr<const Model> Teacher::model(std::string_view name) {
  follow_models();
  const auto at = list_->by_name.find(name);
  return at == list_->by_name.end() ? nullptr : at->second;
}

const ModelList& Teacher::hold_models() {
  store_->lock_models();
  follow_models();
  return *list_;
}

// Something is not there by what was known of the models. Once in a transaction; a model that this
// program cannot read is told of by the refresh.
bool Teacher::look_again() {
  if (std::exchange(looked_again_, true)) return false;
  try {
    return follow_models();
  } catch (const StorageError&) {
    throw;
  } catch (const std::exception&) {
    return false;
  }
}

bool Teacher::knows(std::int64_t model) {
  return list_->by_id.contains(model) || (look_again() && list_->by_id.contains(model));
}

Buckets Teacher::commit() {
  for (Working* work : order_) {
    if (!work->changed) continue;
    if (work->impression.state != ImpressionState::kOpen) teach(*work);
    store_->update(work->impression, std::nullopt);
  }
  for (auto& [key, added] : deltas_) {
    added.number = store_->add(key, added.delta, StoreWriter::Into::kState, now_);
  }
  const Buckets failed = store_->commit();
  if (failed.any()) {
    take_back(failed);
    count_held();
  }
  note_added(failed);
  if (set_aside_) damaged_.clear();
  count_pages(failed);
  for (const EventResult& result : released_) {
    if (!result.bucket || !failed.test(*result.bucket)) metrics_->event(result.status).Increment();
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
  return failed;
}

// What is durable now. A page whose first click comes after it closed is one with a click from then
// on.
void Teacher::count_pages(const Buckets& failed) {
  for (const Working* work : order_) {
    const Impression& impression = work->impression;
    if (!work->changed || failed.test(bucket_of(impression.number))) continue;
    const std::uint64_t clicks = clicks_of(impression);
    const bool closed = impression.state != ImpressionState::kOpen;
    const bool was_closed = work->state_before != ImpressionState::kOpen;
    if (closed && !was_closed) metrics_->closed(impression.state).Increment();
    const bool clicked = closed && clicks > 0;
    const bool was_clicked = was_closed && work->clicks_before > 0;
    const auto model = list_->by_id.find(impression.model);
    if (model == list_->by_id.end()) continue;  // it is being erased
    metrics_->models.count(impression.model, model->second->name, clicks - work->clicks_before,
                           closed && !was_closed, clicked && !was_clicked);
  }
}

// Out of memory, where it is not in the store.
void Teacher::take_back(const Buckets& buckets) {
  std::vector<Applied> kept;
  // NOLINTNEXTLINE(modernize-loop-convert): clang 14 does not take std::views
  for (auto at = applied_.rbegin(); at != applied_.rend(); ++at) {
    const Impression& impression = at->work->impression;
    if (!buckets.test(bucket_of(impression.number))) {
      kept.push_back(std::move(*at));
      continue;
    }
    const std::unique_lock lock(at->entry->mutex);
    apply(at->entry->state, impression.page, impression.contribution, -1);
    apply(at->entry->state, impression.page, at->before, 1);
  }
  applied_ = std::move(kept);
}

void Teacher::rollback() {
  take_back(Buckets().set());
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
  released_.clear();
  rounds_.clear();
  purged_ = 0;
  set_aside_ = false;
}

Time Teacher::due(const Impression& impression) const {
  const auto model = list_->by_id.find(impression.model);
  const bool known = model != list_->by_id.end();
  return due_time(impression, known ? model->second->closes_after : lifetimes_.close_after);
}

void Teacher::expect(std::span<const NewImpression* const> lists,
                     std::span<const Reported> events) {
  std::vector<StoreWriter::Expected> expected;
  for (const auto& [event, caller] : events) {
    const Meant model = meant(*event, *caller);
    if (model.model == nullptr && !model.any) continue;
    expected.push_back({model.any ? 0 : model.model->id, event->impression, event->id});
  }
  store_->expect(lists, expected);
}

Kept Teacher::add(const NewImpression& given) {
  const auto model = list_->by_id.find(given.model);
  if (model == list_->by_id.end()) return Kept::Not::kModelErased;  // meanwhile
  const Time due = given.made + model->second->closes_after;
  Kept kept;
  if (marks_.empty() && marked_ids_.empty()) {
    kept = store_->insert(given, due);
  } else {
    NewImpression impression = given;
    kept = erase_marked(impression) ? store_->insert(impression, due) : Kept::Not::kErased;
  }
  if (kept && !given.id.empty() && (shared_ || !held_.empty())) release(given);
  return kept;
}

Teacher::Working& Teacher::work_on(Impression impression) {
  const std::int64_t model = impression.id.empty() ? 0 : impression.model;
  auto& place = working_[{model, impression_id(impression)}];
  if (place) return *place;
  place = std::make_unique<Working>();
  place->state_before = impression.state;
  place->clicks_before = clicks_of(impression);
  place->impression = std::move(impression);
  order_.push_back(place.get());
  return *place;
}

// Where it is not found, its name may be that of another model by now.
Teacher::Found Teacher::find(const Event& event, const Caller& caller) {
  for (;;) {
    Found found{meant(event, caller), nullptr};
    const auto& [model, any, refusal] = found.meant;
    if (model != nullptr || any) found.work = find(any ? 0 : model->id, event.impression);
    if (found.work != nullptr || !look_again()) return found;
  }
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
  const bool is_it = model == 0 || work->impression.model == model;
  return is_it && list_->by_id.contains(work->impression.model) ? work : nullptr;
}

Teacher::Meant Teacher::meant(const Event& event, const Caller& caller) const {
  if (!event.model.empty() && !caller.model.empty() && event.model != caller.model) {
    return {nullptr, false, {EventStatus::kRejected, "the key is for another model"}};
  }
  // Whoever may report to all models need not name one for an id that the service made.
  if (event.model.empty() && caller.model.empty() && parse_made_id(event.impression)) {
    return {nullptr, true, {}};
  }
  const auto at = list_->by_name.find(meant_model(event.model, caller.model));
  if (at != list_->by_name.end()) return {at->second.get(), false, {}};
  if (!event.model.empty()) {
    return {nullptr, false, {EventStatus::kRejected, "there is no such model"}};
  }
  const std::string said(meant_model(event.model, caller.model));
  return {nullptr,
          false,
          {EventStatus::kUnknown,
           fmt::format("there is no such impression: the event names no model, and there is no "
                       "model {}",
                       quote(said))}};
}

EventResult Teacher::take(const Event& event, const Caller& caller) {
  Found found;
  try {
    found = find(event, caller);
  } catch (const StorageError&) {
    throw;
  } catch (const std::runtime_error& error) {  // of this one; others shall not suffer for it
    return {EventStatus::kRejected, error.what()};
  }
  auto& [meant, work] = found;
  const auto& [model, any, refusal] = meant;
  if (model == nullptr && !any) return refusal;
  if (any && work == nullptr) return {EventStatus::kUnknown, kNoneOfThisId};
  if (work == nullptr) return hold(event, model->id, caller);
  const std::uint64_t number = work->impression.number;
  const std::int64_t owner = work->impression.model;
  std::string hash;
  if (!event.id.empty()) {
    hash = event_hash(encode(event));
    if (const auto known = store_->event(number, owner, event.id)) {
      const bool same = *known == hash;
      return {same ? EventStatus::kDuplicate : EventStatus::kRejected,
              same ? "this event was taken before" : "the event id was used for another event",
              bucket_of(number)};
    }
  }
  EventResult result = take_event(work->impression, event, now_, lifetimes_);
  result.bucket = bucket_of(number);
  if (result.status != EventStatus::kAccepted) return result;
  work->changed = true;
  if (!event.id.empty()) {
    store_->insert_event(number, owner, event.id, hash);
    work->impression.events.push_back(event.id);
  }
  return result;
}

EventResult Teacher::hold(const Event& event, std::int64_t model, const Caller& caller) {
  if (parse_made_id(event.impression)) return {EventStatus::kUnknown, kNoneOfThisId};
  std::uint64_t& held = held_[caller.name];
  if (held >= caller.held) {
    return {EventStatus::kUnknown, "there is no such impression, and too many events are held"};
  }
  store_->hold({model, caller.name, now_ + lifetimes_.hold, event, 0});
  ++held;
  metrics_->held.Increment();
  return {EventStatus::kUnknown,
          fmt::format("held for {} s: it counts if model {} shows an impression of this id",
                      lifetimes_.hold / 1000, quote(list_->by_id.at(model)->name)),
          bucket_of(model, event.impression), true};
}

void Teacher::release(const NewImpression& impression) {
  for (const HeldEvent& held : store_->release(impression.model, impression.id)) take_held(held);
}

void Teacher::take_held(const HeldEvent& held) {
  if (auto at = held_.find(held.caller); at != held_.end() && --at->second == 0) held_.erase(at);
  if (!knows(held.model)) return;
  Event event = held.event;
  event.model = list_->by_id.at(held.model)->name;
  released_.push_back(take(event, {held.caller, "", 0}));
}

void Teacher::count_held() {
  held_.clear();
  for (const auto& [caller, count] : store_->held()) held_[caller] = count;
}

}  // namespace dcmrank::service
