#include "dcmrank/service/writer.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace dcmrank::service {
namespace {

using namespace std::chrono_literals;
constexpr auto kCompany = 50ms;       // how long lists alone wait for more
constexpr std::size_t kCrowd = 4000;  // but no longer than until they are so many
constexpr Time kSweepEvery = 500;     // milliseconds
constexpr Time kErasingAtTheEnd = 10'000;
constexpr auto kRefreshEvery = 900ms;  // docs/fleet.md says what others rely on
constexpr int kTries = 20;             // where other processes write the same at the same time
constexpr const char* kRefused =
    "its query was forgotten meanwhile, its id is of another list, or it is at fault";
constexpr const char* kOthers = "others change the same records at the same time; try again";

std::size_t bytes_of(const Feedback& feedback) {
  std::size_t bytes = sizeof feedback;
  for (const Event& event : feedback.events) {
    bytes += sizeof event + event.model.size() + event.impression.size() + event.item.size() +
             event.id.size();
  }
  return bytes;
}

}  // namespace

bool QueueBytes::take(const std::string& caller, std::size_t bytes) {
  if (bytes > most_ - std::min(most_, taken_)) return false;
  const auto at = by_caller_.find(caller);
  const std::size_t own = at == by_caller_.end() ? 0 : at->second;
  if (own + bytes > most_of(caller)) return false;
  by_caller_[caller] = own + bytes;
  taken_ += bytes;
  return true;
}

void QueueBytes::give(const std::string& caller, std::size_t bytes) {
  taken_ -= bytes;
  const auto at = by_caller_.find(caller);
  at->second -= bytes;
  if (at->second == 0) by_caller_.erase(at);
}

Writer::Writer(std::unique_ptr<StoreWriter> store, QueryCache& cache, const Models& models,
               const Clock& clock, const Lifetimes& lifetimes, const Limits& limits,
               Metrics& metrics, Journal& journal)
    : store_(std::move(store)),
      clock_(&clock),
      metrics_(&metrics),
      journal_(&journal),
      teacher_(*store_, cache, models, lifetimes, metrics),
      list_bytes_(limits.queue),
      event_bytes_(limits.queue_events) {}

Writer::~Writer() { stop(); }

void Writer::start() {
  thread_ = std::thread([this] { run(); });
}

void Writer::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  ready_.notify_one();
  if (thread_.joinable()) thread_.join();
}

bool Writer::offer(Shown shown) {
  const std::lock_guard lock(mutex_);
  if (stopping_ || !list_bytes_.take(shown.caller, shown.impression.bytes())) return false;
  urgent_ = urgent_ || shown.done;
  waiting_.lists.push_back(std::move(shown));
  const std::size_t size = waiting_.lists.size();
  if (size == 1 || size == kCrowd || urgent_) ready_.notify_one();
  return true;
}

bool Writer::offer(Feedback& feedback) {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_ || !event_bytes_.take(feedback.caller.name, bytes_of(feedback))) return false;
    waiting_.feedback.push_back(std::move(feedback));
    urgent_ = true;
  }
  ready_.notify_one();
  return true;
}

bool Writer::could_take(const Feedback& feedback) const {
  return bytes_of(feedback) <= event_bytes_.most_of(feedback.caller.name);
}

bool Writer::could_take(const Shown& shown) const {
  return shown.impression.bytes() <= list_bytes_.most_of(shown.caller);
}

bool Writer::offer(Job job) {
  constexpr std::size_t kMostJobs = 100;
  {
    const std::lock_guard lock(mutex_);
    if (stopping_ || waiting_.jobs.size() >= kMostJobs) return false;
    waiting_.jobs.push_back(std::move(job));
    urgent_ = true;
  }
  ready_.notify_one();
  return true;
}

std::string Writer::trouble() const {
  const std::lock_guard lock(mutex_);
  return trouble_;
}

Writer::Batch Writer::next() {
  std::unique_lock lock(mutex_);
  const auto urgent = [&] { return stopping_ || urgent_; };
  const auto some = [&] { return urgent() || !waiting_.lists.empty(); };
  ready_.wait_for(lock, sweep_again_ ? 0ms : 200ms, some);
  if (!urgent() && !waiting_.lists.empty()) {
    ready_.wait_for(lock, kCompany, [&] { return urgent() || waiting_.lists.size() >= kCrowd; });
  }
  urgent_ = false;
  return std::exchange(waiting_, {});
}

void Writer::run() {
  for (;;) {
    Batch batch = next();
    metrics_->queued.Set(static_cast<double>(batch.lists.size()));
    if (batch.empty() && is_stopping()) return finish_erasing();
    if (!batch.empty()) process(std::move(batch));
    sweep();
    refresh();
    const std::lock_guard lock(mutex_);
    if (stopping_ && storage_failed_) return;  // what waits cannot be kept
  }
}

bool Writer::is_stopping() const {
  const std::lock_guard lock(mutex_);
  return stopping_;
}

// What was erased goes before the end, as far as that takes no longer than one can wait for it.
void Writer::finish_erasing() {
  const Time until = clock_->now() + kErasingAtTheEnd;
  bool more = true;
  while (more && clock_->now() < until) {
    Buckets failed;
    const bool done = transact([&] { more = teacher_.tidy(); }, failed);
    if (!done) return;
  }
  if (more) journal_->line(Journal::Level::kWarning, "erasing_unfinished");
}

void Writer::process(Batch batch) {
  std::vector<Feedback*> all;
  all.reserve(batch.feedback.size());
  std::vector<std::pair<std::string, std::size_t>> taken;
  for (Feedback& feedback : batch.feedback) {
    all.push_back(&feedback);
    taken.emplace_back(feedback.caller.name, bytes_of(feedback));
  }
  if (!batch.lists.empty() || !all.empty()) {
    if (!attempt(batch.lists, all) && !storage_failed_) attempt_each(batch);
    const std::string why = storage_failed_ ? trouble() : kOthers;
    for (Feedback& feedback : batch.feedback) {
      if (!answer(feedback)) feedback.done({}, why);
    }
    std::vector<Shown> later;
    for (Shown& shown : batch.lists) {
      if (shown.fate == Shown::Fate::kWaits) {
        later.push_back(std::move(shown));
      } else {
        settle(shown, shown.fate == Shown::Fate::kStored ? "" : kRefused);
      }
    }
    keep_for_later(std::move(later), why);
  }
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [caller, bytes] : taken) event_bytes_.give(caller, bytes);
  }
  for (Job& job : batch.jobs) run_job(job);
}

// Something in the batch, and not the disk, is at fault: nobody else shall suffer for it.
void Writer::attempt_each(Batch& batch) {
  for (Shown& shown : batch.lists) {
    if (attempt({&shown, 1}, {}) || storage_failed_) continue;
    metrics_->impressions_dropped.Increment();
    shown.fate = Shown::Fate::kRefused;
  }
  for (Feedback& feedback : batch.feedback) {
    Feedback* one = &feedback;
    if (!attempt({}, {&one, 1}) && !storage_failed_) attempt_events(feedback);
  }
}

// Those at fault are rejected: to send them again would never help.
void Writer::attempt_events(Feedback& feedback) {
  for (std::size_t n = 0; n < feedback.events.size(); ++n) {
    if (feedback.results[n]) continue;
    Feedback alone{{feedback.events[n]}, feedback.caller, nullptr};
    Feedback* one = &alone;
    if (attempt({}, {&one, 1})) {
      feedback.results[n] = std::move(alone.results.front());
    } else if (storage_failed_) {
      return;
    } else {
      feedback.results[n] = {EventStatus::kRejected, "a record that it belongs to is damaged"};
      metrics_->event(EventStatus::kRejected).Increment();
    }
  }
  fail("");  // the disk did not fail
}
// False where something of it has no result.
bool Writer::answer(Feedback& feedback) {
  std::vector<EventResult> results;
  for (auto& result : feedback.results) {
    if (result) results.push_back(std::move(*result));
  }
  if (results.size() < feedback.events.size()) return false;
  feedback.done(std::move(results), "");
  return true;
}

void Writer::settle(Shown& shown, const std::string& failure) {
  {
    const std::lock_guard lock(mutex_);
    list_bytes_.give(shown.caller, shown.impression.bytes());
  }
  settled_(shown.impression);
  if (shown.done) shown.done(failure);
}

// A transaction. Whether it succeeded.
bool Writer::transact(const std::function<void()>& work, Buckets& failed) {
  const auto start = std::chrono::steady_clock::now();
  try {
    teacher_.begin(clock_->now());
    work();
    failed = teacher_.commit();
  } catch (const StorageError& error) {
    storage_failed_ = true;
    fail(error.what());
    return false;
  } catch (const std::exception& error) {
    storage_failed_ = false;
    fail(error.what());
    return false;
  }
  storage_failed_ = false;
  fail("");
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  metrics_->commit_seconds.Observe(took.count());
  metrics_->commits.Increment();
  return true;
}

// Stores what waits, and again what others were faster in. False where something went wrong; what
// is durable by then has its result.
bool Writer::attempt(std::span<Shown> lists, std::span<Feedback* const> feedback) {
  for (int tries = 1;; ++tries) {
    Buckets failed;
    if (!attempt_once(lists, feedback, failed)) return false;
    if (failed.none() || tries == kTries) return true;
    metrics_->conflicts.Increment(static_cast<double>(failed.count()));
    std::this_thread::sleep_for(tries * 1ms);
  }
}

bool Writer::attempt_once(std::span<Shown> lists, std::span<Feedback* const> feedback,
                          Buckets& failed) {
  struct Place {
    Feedback* request;
    std::size_t event;
    EventResult result;
  };
  std::vector<Shown*> shown;
  std::vector<const NewImpression*> impressions;
  for (Shown& one : lists) {
    if (one.fate != Shown::Fate::kWaits) continue;
    shown.push_back(&one);
    impressions.push_back(&one.impression);
  }
  std::vector<Place> places;
  std::vector<Teacher::Reported> events;
  for (Feedback* request : feedback) {
    request->results.resize(request->events.size());
    for (std::size_t n = 0; n < request->events.size(); ++n) {
      if (request->results[n]) continue;
      places.push_back({request, n, {}});
      events.push_back({&request->events[n], &request->caller});
    }
  }
  std::vector<bool> kept(shown.size());
  const bool done = transact(
      [&] {
        teacher_.expect(impressions, events);
        for (std::size_t n = 0; n < shown.size(); ++n) kept[n] = teacher_.add(*impressions[n]);
        for (std::size_t n = 0; n < places.size(); ++n) {
          places[n].result = teacher_.take(*events[n].event, *events[n].caller);
        }
      },
      failed);
  if (!done) return false;
  for (std::size_t n = 0; n < shown.size(); ++n) {
    if (failed.test(bucket_of(shown[n]->impression.number))) continue;
    shown[n]->fate = kept[n] ? Shown::Fate::kStored : Shown::Fate::kRefused;
  }
  for (Place& place : places) {
    if (place.result.bucket && failed.test(*place.result.bucket)) continue;
    metrics_->event(place.result.status).Increment();
    place.request->results[place.event] = std::move(place.result);
  }
  return true;
}

void Writer::run_job(Job& job) {
  try {
    for (int tries = 1;; ++tries) {
      teacher_.begin(clock_->now());
      job.work(teacher_);
      if (teacher_.commit().none()) break;
      if (tries == kTries) return job.done(std::make_exception_ptr(StorageError(kOthers)));
      std::this_thread::sleep_for(tries * 1ms);
    }
    fail("");
    storage_failed_ = false;
    job.done(nullptr);
  } catch (const StorageError& error) {
    storage_failed_ = true;
    fail(error.what());
    job.done(std::current_exception());
  } catch (...) {
    roll_back();
    job.done(std::current_exception());
  }
}

void Writer::sweep() {
  const Time now = clock_->now();
  if (!sweep_again_ && now - last_sweep_ < kSweepEvery) return;
  last_sweep_ = now;
  try {
    teacher_.begin(now);
    sweep_again_ = teacher_.sweep();
    if (!trouble().empty()) store_->probe(now);
    teacher_.commit();
    storage_failed_ = false;
    fail("");
    teacher_.begin(now);
    const bool erasing = teacher_.tidy();
    teacher_.commit();
    if (std::exchange(erasing_, erasing) && !erasing) erased_();
    sweep_again_ = sweep_again_ || erasing;
    if (swept_) swept_();
  } catch (const StorageError& error) {
    sweep_again_ = false;
    storage_failed_ = true;
    fail(error.what());
  } catch (const std::exception& error) {
    journal_->line(Journal::Level::kError, "damaged_record").with("problem", error.what());
    roll_back();
    sweep_again_ = teacher_.sweep_failed();
  }
}

void Writer::refresh() {
  if (shared_ == nullptr) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_refresh_ < kRefreshEvery) return;
  last_refresh_ = now;
  try {
    refresh_();
    teacher_.refresh(shared_->breaks());
  } catch (const StorageError& error) {
    storage_failed_ = true;
    fail(error.what());
  } catch (const std::exception& error) {
    journal_->line(Journal::Level::kError, "damaged_record").with("problem", error.what());
  }
}

// Notes how the last transaction went: it failed where there is a reason why.
void Writer::fail(const std::string& why) {
  {
    const std::lock_guard lock(mutex_);
    const bool changed = trouble_.empty() != why.empty();
    trouble_ = why;
    if (changed && why.empty()) journal_->line(Journal::Level::kInfo, "storage_works_again");
    if (changed && !why.empty()) {
      journal_->line(Journal::Level::kError, "storage_failed").with("problem", why);
    }
  }
  metrics_->storage_ok.Set(why.empty() ? 1 : 0);
  if (why.empty()) return;
  metrics_->storage_errors.Increment();
  roll_back();
}

void Writer::roll_back() {
  try {
    teacher_.rollback();
  } catch (const StorageError&) {  // it is rolled back when the next one begins
  }
}

// They keep their place: what comes next was shown later.
void Writer::keep_for_later(std::vector<Shown> lists, const std::string& why) {
  std::vector<Shown> kept;
  for (Shown& shown : lists) {
    if (shown.done) {  // its caller waits, and shall know
      settle(shown, why);
    } else {
      kept.push_back(std::move(shown));
    }
  }
  const std::lock_guard lock(mutex_);
  waiting_.lists.insert(waiting_.lists.begin(), std::make_move_iterator(kept.begin()),
                        std::make_move_iterator(kept.end()));
}

}  // namespace dcmrank::service
