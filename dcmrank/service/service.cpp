#include "dcmrank/service/service.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "dcmrank/service/relearn.h"
#include "dcmrank/store/sqlite_store.h"

namespace dcmrank::service {
namespace {

// Every start takes 2^40 numbers: what was given out but lost in a crash is never given out again.
constexpr unsigned kNumbersOfAStart = 40;

// The first start of all makes the model `default`; who erases it later has erased it.
std::uint64_t begin_start(Store& store) {
  const std::uint64_t start = store.begin_start();
  const auto known = store.reader()->models();
  const auto is_default = [](const Model& other) { return other.name == kDefaultModel; };
  if (start > 1 || std::any_of(known.begin(), known.end(), is_default)) return start;
  Model model;
  model.name = kDefaultModel;
  set_policy(model, "recommended");
  check_model(model);
  model.kept = model.family.name;
  const auto writer = store.writer();
  writer->begin();
  writer->put(model);
  writer->commit();
  return start;
}

}  // namespace

Service::Service(ServiceOptions options, std::shared_ptr<const Keys> keys)
    : options_(std::move(options)),
      journal_(options_.log, parse_level(options_.log_level)),
      keys_(std::move(keys)),
      rates_(options_.limits.rate, options_.limits.burst),
      cache_(options_.limits.cache),
      store_(open_sqlite_store(options_.data)),
      clock_(store_->latest_time()),
      number_(begin_start(*store_) << kNumbersOfAStart),
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
  writer_.on_taught(
      [this](std::int64_t model, std::uint64_t pages) { fits_.taught(model, pages); });
  writer_.start();
  if (store_->must_wipe()) wipe();
}

Service::~Service() { stop(); }

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
    const std::uint64_t pages = learn_anew(*store_->writer(), *model, clock_.now());
    journal_.line(Journal::Level::kInfo, "learned_anew")
        .with("subject", hash_for_log(model->name))
        .with("learns_by", model->policy.text)
        .with("pages", pages);
    reload_models();
  }
}

Model Service::as_here(Model model) const {
  const bool own = model.close_after != kAsTheService;
  model.closes_after = own ? model.close_after : options_.lifetimes.close_after;
  return model;
}

void Service::reload_models() {
  auto models = store_->reader()->models();
  for (Model& model : models) model = as_here(std::move(model));
  models_.set(std::move(models));
}

void Service::wipe_at_the_end() {
  try {
    if (store_->must_wipe() && store_->wipe()) journal_.line(Journal::Level::kInfo, "wiped");
  } catch (const std::exception& error) {  // the next start tries again
    journal_.line(Journal::Level::kError, "not_wiped").with("problem", error.what());
  }
}

// Asked for again while it goes on, it is done once more; others get their turn in between.
void Service::wipe() {
  if (wipe_waits_.exchange(true)) return;
  background([this] {
    static constexpr std::chrono::milliseconds kAgain(200);
    wipe_waits_ = false;
    bool wiped = false;
    try {
      wiped = store_->wipe();
    } catch (const std::exception& error) {
      journal_.line(Journal::Level::kError, "not_wiped").with("problem", error.what());
    }
    if (wiped) {
      journal_.line(Journal::Level::kInfo, "wiped");
    } else if (!stopping_) {
      std::this_thread::sleep_for(kAgain);
      wipe();
    }
  });
}

void Service::measure() {
  metrics_.cache_bytes.Set(static_cast<double>(cache_.bytes()));
  metrics_.cache_queries.Set(static_cast<double>(cache_.queries()));
  metrics_.cache_loads.Set(static_cast<double>(cache_.loads()));
  metrics_.cache_evictions.Set(static_cast<double>(cache_.evictions()));
  metrics_.database_bytes.Set(static_cast<double>(store_->bytes()));
}

}  // namespace dcmrank::service
