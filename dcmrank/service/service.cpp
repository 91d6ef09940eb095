#include "dcmrank/service/service.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/postgres/postgres_store.h"
#include "dcmrank/service/key_entry.h"
#include "dcmrank/service/relearn.h"
#include "dcmrank/store/sqlite_store.h"

namespace dcmrank::service {
namespace {

std::unique_ptr<Store> open_store(const ServiceOptions& options) {
  check_place(options);
  if (options.store.empty()) return open_sqlite_store(options.data);
  try {
    return open_postgres_store(options.store, options.store_connections);
  } catch (const StorageError& error) {  // at the start somebody is there who can see to it
    throw InputError(fmt::format("--store: {}", error.what()));
  }
}

// The first start of all makes the model `default`; who erases it later has erased it.
std::unique_ptr<Store> with_default_model(std::unique_ptr<Store> store) {
  const auto known = store->reader()->models();
  refuse_unknown(known);
  const auto is_default = [](const Model& other) { return other.name == kDefaultModel; };
  if (!store->is_unused() || std::any_of(known.begin(), known.end(), is_default)) return store;
  Model model;
  model.name = kDefaultModel;
  set_policy(model, "recommended");
  check_model(model);
  model.kept = model.family.name;
  const auto writer = store->writer();
  writer->begin();
  writer->put(model);
  writer->commit();
  return store;
}

}  // namespace

void check_place(const ServiceOptions& options) {
  if (options.store.empty() && options.data.empty()) throw InputError("--data is empty");
  if (!options.store.empty() && !is_postgres(options.store)) {
    throw InputError("--store must be a URI such as postgresql://USER@HOST/NAME");
  }
  if (!options.store.empty() && options.limits.id > kPgLongestId) {
    throw InputError(fmt::format("--max-id {}: PostgreSQL keeps ids of at most {} bytes",
                                 options.limits.id, kPgLongestId));
  }
}

Service::Service(ServiceOptions options, std::shared_ptr<const Keys> keys)
    : options_(std::move(options)),
      journal_(options_.log, find_level(options_.log_level).value_or(Journal::Level::kInfo)),
      keys_(std::move(keys)),
      rates_(options_.limits.rate, options_.limits.burst),
      cache_(options_.limits.cache,
             options_.store.empty() ? std::nullopt : std::optional(options_.store_age)),
      store_(with_default_model(open_store(options_))),
      clock_(store_->now()),
      numbers_(store_->begin_start()),
      imports_(options_.limits.import_body),
      fits_((follow_recommendation(), *store_), models_),
      writer_(store_->writer(), cache_, models_, clock_, options_.lifetimes, options_.limits,
              metrics_, journal_) {
  writer_.on_settled([this](const NewImpression& impression) {
    if (impression.id.empty()) return;
    const std::string name = NamedAnswers::name(impression.model, impression.id);
    auto& shard = named_.of(name);
    const std::lock_guard lock(shard.mutex);
    shard.entries.erase(name);
  });
  writer_.on_erased([this] { wipe(); });
  writer_.on_sweep([this] { look_after(); });
  if (store_->is_shared()) {
    writer_.on_refresh(
        *store_, [this] { follow_others(); }, [this] { follow_models(); });
  }
  writer_.on_taught(
      [this](std::int64_t model, std::uint64_t pages) { fits_.taught(model, pages); });
  doubt_the_clock();
  writer_.start();
  if (store_->must_wipe()) wipe();
}

Service::~Service() { stop(); }

// A machine without a battery may start in any year, and one start in a wrong one would remove all
// that is not of that year. Who was away for long loses nothing by waiting an hour. Where the last
// times that are stored are still to come, nobody knows how old anything is.
void Service::doubt_the_clock() {
  constexpr Time kFar = Time{24} * 3600'000;
  constexpr Time kWait = 3600'000;
  using std::chrono::milliseconds;
  const auto wall =
      std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch());
  const Time last = store_->last_time();
  const Time ahead = wall.count() - last;
  if (last == 0 || (ahead <= kFar && ahead >= -kFar)) {
    // What was stored since a start in doubt is no witness for its clock: the hour goes on.
    const Time left = store_->doubted_until() - wall.count();
    if (left > 0 && left <= kWait) writer_.keep_all_until(clock_.now() + left);
    return;
  }
  if (ahead > 0) store_->doubt_until(wall.count() + kWait);
  writer_.keep_all_until(ahead > 0 ? clock_.now() + kWait : std::numeric_limits<Time>::max());
  journal_.line(Journal::Level::kWarning, "clock_jumped")
      .with("last", print_moment(last / 1000))
      .with("now", print_moment(wall.count() / 1000));
}

NamedAnswers::Turn::Turn(Shard& shard, std::string name, bool waits)
    : shard_(&shard), name_(std::move(name)) {
  std::unique_lock lock(shard.mutex);
  if (waits) shard.over.wait(lock, [&] { return !shard.turns.contains(name_); });
  has_ = shard.turns.insert(name_).second;
}

NamedAnswers::Turn::~Turn() {
  if (!has_) return;
  {
    const std::lock_guard lock(shard_->mutex);
    shard_->turns.erase(name_);
  }
  shard_->over.notify_all();
}

std::string NamedAnswers::name(std::int64_t model, std::string_view id) {
  return fmt::format("{}:{}", model, id);
}

// A model that said `recommended` follows what that is now.
void Service::follow_recommendation() {
  if (const std::string migrated = store_->migrated(); !migrated.empty()) {
    journal_.line(Journal::Level::kInfo, "migrated").with("what", migrated);
  }
  reload_models();
  const auto list = models_.get();
  for (const auto& [id, model] : list->by_id) {
    if (!must_learn_anew(*model)) continue;
    const std::uint64_t pages = learn_anew(*store_, *model, clock_.now());
    journal_.line(Journal::Level::kInfo, "learned_anew")
        .with("subject", hash_for_log(model->name))
        .with("learns_by", model->policy.text)
        .with("pages", pages);
    reload_models();
  }
}

Reason Service::trouble() const {
  try {
    store_->check_place();
  } catch (const StorageError& error) {  // before the writer has noticed
    return error.reason();
  }
  return writer_.trouble();
}

Model Service::as_here(Model model) const {
  const bool own = model.close_after != kAsTheService;
  model.closes_after = own ? model.close_after : options_.lifetimes.close_after;
  return model;
}

void Service::reload_models() {
  const std::lock_guard lock(models_mutex_);
  read_models();
}

void Service::read_models() {
  auto models = store_->reader()->models();
  refuse_unknown(models);
  for (Model& model : models) model = as_here(std::move(model));
  const auto before = models_.get();
  models_.set(std::move(models));
  const auto after = models_.get();
  for (const auto& [id, model] : before->by_id) {
    if (after->by_id.contains(id)) continue;
    cache_.drop(id);
    metrics_.models.forget(id);
  }
}

// On the writer's thread, about once a second.
void Service::follow_others() {
  clock_.follow(store_->now());
  follow_models();
}

void Service::follow_models() {
  const std::lock_guard lock(models_mutex_);
  const std::uint64_t version = store_->reader()->models_version();
  if (version == models_seen_) return;
  read_models();
  models_seen_ = version;
}

void Service::look_for_models() {
  if (!store_->is_shared()) return;
  if (const Reason trouble = writer_.trouble(); !trouble.empty()) throw StorageError(trouble);
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  if (!looks_.take({}, std::chrono::duration_cast<std::chrono::nanoseconds>(now).count())) {
    if (look_failed_) throw StorageError("the database does not say which models there are");
    return;
  }
  look_failed_ = true;
  follow_models();
  look_failed_ = false;
}

// A store that does not even say whether something is to be wiped is asked again at the next start.
void Service::wipe_at_the_end() {
  bool owed = wipe_owed_;
  try {
    owed = store_->must_wipe();
    if (owed && store_->wipe() == Store::Wiped::kAll) note_wiped();
  } catch (const std::exception& error) {
    if (owed) note_not_wiped(error);
  }
}

// PostgreSQL marks the room of what was erased as free, and leaves its bytes there until others
// need it.
void Service::note_wiped() {
  journal_.line(Journal::Level::kInfo, store_->is_shared() ? "vacuumed" : "wiped");
}

void Service::note_not_wiped(const std::exception& error) {
  journal_.line(Journal::Level::kError, store_->is_shared() ? "not_vacuumed" : "not_wiped")
      .with("problem", error.what());
}

// Asked for again while it goes on, it is done once more; others get their turn in between. Where
// it failed, its time comes again (look_after), however often it is asked for meanwhile.
void Service::wipe() {
  wipe_owed_ = true;
  if (std::chrono::steady_clock::now() < wipe_after_.load() || wipe_waits_.exchange(true)) return;
  background([this] {
    static constexpr std::chrono::milliseconds kAgain(200);
    wipe_waits_ = false;
    wipe_after_ = Moment{};
    try {
      const auto wiped = store_->wipe();
      wipe_pause_ = {};
      wipe_owed_ = wiped == Store::Wiped::kNotYet || wipe_waits_;
      if (wiped == Store::Wiped::kAll) note_wiped();
      if (wiped != Store::Wiped::kNotYet || stopping_) return;
      std::this_thread::sleep_for(kAgain);
      wipe();
    } catch (const std::exception& error) {
      note_not_wiped(error);
      pause_wiping();
    }
  });
}

// Each try may be as much work as one that succeeds.
void Service::pause_wiping() {
  using std::chrono::seconds;
  wipe_pause_ = std::clamp(2 * wipe_pause_, seconds(1), seconds(60));
  wipe_after_ = std::chrono::steady_clock::now() + wipe_pause_;
}

// On the writer's thread. Held events may go one by one: not for each of them are the files wiped.
void Service::look_after() {
  static constexpr std::chrono::seconds kWipeEvery(10);
  if (numbers_.is_low()) numbers_.add(store_->begin_start());
  if (wipe_owed_ && wipe_after_.load() != Moment{}) wipe();
  if (store_->is_shared() || wipe_owed_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - wiped_at_ < kWipeEvery || !store_->must_wipe()) return;
  wiped_at_ = now;
  wipe();
}

void Service::measure() {
  metrics_.cache_bytes.Set(static_cast<double>(cache_.bytes()));
  metrics_.cache_queries.Set(static_cast<double>(cache_.queries()));
  metrics_.set_cache_counts(cache_.loads(), cache_.evictions());
  metrics_.database_bytes.Set(static_cast<double>(store_->bytes()));
}

}  // namespace dcmrank::service
