#include "dcmrank/service/writer.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace dcmrank::service {
namespace {

using namespace std::chrono_literals;
constexpr Time kSweepEvery = 500;  // milliseconds
constexpr Time kErasingAtTheEnd = 10'000;
constexpr auto kRefreshEvery = 900ms;  // docs/fleet.md says what others rely on
constexpr auto kAnswer = 9500ms;       // likewise: 10 s
constexpr auto kLong = 400ms;          // what was compared last is good for longer
constexpr auto kSilence = 1000ms;      // likewise
constexpr auto kWatchEvery = 200ms;
constexpr const char* kSilent = "the database has not answered for 10 s";

}  // namespace

std::size_t Feedback::bytes() const {
  std::size_t bytes = sizeof *this;
  for (const Event& event : events) {
    bytes += sizeof event + event.model.size() + event.impression.size() + event.item.size() +
             event.id.size();
  }
  return bytes;
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
      event_bytes_(limits.queue_events),
      overdue_(kAnswer) {}

Writer::~Writer() { stop(); }

void Writer::start() {
  thread_ = std::thread([this] { run(); });
  if (shared_ != nullptr) watch_ = std::thread([this] { watch(); });
}

void Writer::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  ready_.notify_one();
  if (thread_.joinable()) thread_.join();
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  ended_.notify_one();
  if (watch_.joinable()) watch_.join();
}

// For those who wait while the writer does.
void Writer::watch() {
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, kWatchEvery, [&] { return over_; })) {
    const bool silent = turn_ && std::chrono::steady_clock::now() - *turn_ > kAnswer;
    const Reason why = trouble_.empty() ? our_reason(kSilent) : trouble_;
    lock.unlock();
    if (silent) metrics_->storage_ok.Set(0);
    overdue_.expire(why);
    lock.lock();
  }
}

bool Writer::offer(Shown shown) {
  const std::lock_guard lock(mutex_);
  if (stopping_ || !list_bytes_.take(shown.caller, shown.impression.bytes())) return false;
  urgent_ = urgent_ || shown.done;
  if (shown.done && shared_ != nullptr) {
    auto done = std::move(shown.done);
    shown.done = [one = overdue_.add(done, shown.since), done](const Reason& failure) {
      if (one->take()) done(failure);
    };
  }
  waiting_.lists.push_back(std::move(shown));
  const std::size_t size = waiting_.lists.size();
  if (size == 1 || size == company_.crowd || urgent_) ready_.notify_one();
  return true;
}

bool Writer::offer(Feedback& feedback) {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_ || !event_bytes_.take(feedback.caller.name, feedback.bytes())) return false;
    if (shared_ != nullptr) {
      auto done = std::move(feedback.done);
      feedback.awaited = overdue_.add([done](const Reason& why) { done({}, why); }, feedback.since);
      feedback.done = [one = feedback.awaited, done](std::vector<EventResult> results,
                                                     const Reason& failure) {
        if (one->take()) done(std::move(results), failure);
      };
    }
    waiting_.feedback.push_back(std::move(feedback));
    urgent_ = true;
  }
  ready_.notify_one();
  return true;
}

bool Writer::could_take(const Feedback& feedback) const {
  return feedback.bytes() <= event_bytes_.most_of(feedback.caller.name);
}

bool Writer::could_take(const Shown& shown) const {
  return shown.impression.bytes() <= list_bytes_.most_of(shown.caller);
}

bool Writer::offer(Job job) {
  constexpr std::size_t kMostJobs = 100;
  {
    const std::lock_guard lock(mutex_);
    if (stopping_ || open_jobs_ >= kMostJobs) return false;
    ++open_jobs_;
    if (job.since && shared_ != nullptr) {
      auto done = std::move(job.done);
      const auto refuse = [done](const Reason& why) {
        done(std::make_exception_ptr(StorageError(why)));
      };
      job.done = [one = overdue_.add(refuse, *job.since), done](const std::exception_ptr& thrown) {
        if (one->take()) done(thrown);
      };
    }
    waiting_.jobs.push_back(std::move(job));
    urgent_ = true;
  }
  ready_.notify_one();
  return true;
}

Reason Writer::trouble() const {
  const std::lock_guard lock(mutex_);
  const bool silent = turn_ && std::chrono::steady_clock::now() - *turn_ > kAnswer;
  return trouble_.empty() && silent ? our_reason(kSilent) : trouble_;
}

bool Writer::waits_long() const {
  const std::lock_guard lock(mutex_);
  return unanswered_ || (turn_ && std::chrono::steady_clock::now() - *turn_ > kLong);
}

bool Writer::hears_nothing() const {
  const std::lock_guard lock(mutex_);
  return unanswered_ || (turn_ && std::chrono::steady_clock::now() - *turn_ > kSilence);
}

// Something that asks the store, and should not take long, starts or is over.
void Writer::take_turn(bool starts) {
  if (shared_ == nullptr) return;
  const std::lock_guard lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (turn_) unanswered_ = storage_failed_ && now - *turn_ > kSilence;
  turn_.reset();
  if (starts) turn_ = now;
}

bool Writer::Batch::awaited() const {
  return !feedback.empty() || !jobs.empty() ||
         std::ranges::any_of(lists, [](const Shown& shown) { return shown.done != nullptr; });
}

// The more wait, the more go at once: otherwise they would never be fewer.
std::size_t Writer::share_of_lists(bool awaited) const {
  if (!awaited) return company_.crowd;
  constexpr std::size_t kPart = 256;
  return company_.beside + backlog_.size() / kPart;
}

Writer::Batch Writer::next() {
  std::unique_lock lock(mutex_);
  const auto urgent = [&] { return stopping_ || urgent_; };
  const auto some = [&] { return urgent() || !waiting_.lists.empty(); };
  if (storage_failed_ && !backlog_.empty()) {
    ready_.wait_for(lock, company_.time, urgent);
  } else {
    ready_.wait_for(lock, sweep_again_ || !backlog_.empty() ? 0ms : 200ms, some);
  }
  if (!urgent() && !waiting_.lists.empty() && backlog_.empty()) {
    ready_.wait_for(lock, company_.time,
                    [&] { return urgent() || waiting_.lists.size() >= company_.crowd; });
  }
  hurried_ = urgent() || shared_ != nullptr || behind() || !backlog_.empty();
  urgent_ = false;
  Batch batch = std::exchange(waiting_, {});
  waiting_.lists.reserve(std::min(batch.lists.size(), company_.crowd));  // about as many come again
  lock.unlock();
  const bool awaited = batch.awaited();
  if (!backlog_.empty() || batch.lists.size() > share_of_lists(awaited)) {
    backlog_.add(std::move(batch.lists));
    batch.lists = backlog_.take(share_of_lists(awaited), batch.feedback);
  }
  for (Job& job : batch.jobs) jobs_.push_back({backlog_.end(), std::move(job)});
  batch.jobs.clear();
  yields_ = !awaited && shared_ == nullptr;
  return batch;
}

// Whether lists that nobody waits for are to be left for later, because somebody has come.
bool Writer::stop_adding() {
  if (!yields_) return false;
  const std::lock_guard lock(mutex_);
  return urgent_;
}

// False where somebody waits, or the lists that have come meanwhile are many: events would have to
// wait for them.
bool Writer::rest(std::chrono::microseconds time) {
  std::unique_lock lock(mutex_);
  return !ready_.wait_for(lock, time, [&] { return stopping_ || urgent_ || behind(); });
}

void Writer::run() {
  for (;;) {
    Batch batch = next();
    metrics_->queued.Set(static_cast<double>(batch.lists.size() + backlog_.size()));
    if (batch.empty() && jobs_.empty() && is_stopping()) return finish_erasing();
    take_turn(true);
    if (!batch.empty()) process(std::move(batch));
    run_jobs();
    take_turn(true);
    sweep();
    take_turn(true);
    refresh();
    take_turn(false);
    const std::lock_guard lock(mutex_);
    if (stopping_ && storage_failed_) {  // what waits cannot be kept
      const std::uint64_t lists = waiting_.lists.size() + backlog_.size();
      if (lists > 0) journal_->line(Journal::Level::kError, "lists_lost").with("lists", lists);
      return;
    }
  }
}

bool Writer::is_stopping() const {
  const std::lock_guard lock(mutex_);
  return stopping_;
}

// What was erased goes before the end, as far as that takes no longer than one can wait for it.
void Writer::finish_erasing() {
  tell_of_trimmed(true);
  const Time until = clock_->now() + kErasingAtTheEnd;
  bool more = true;
  while (more && clock_->now() < until) {
    Buckets failed;
    const bool done = transact([&] { more = teacher_.tidy(); }, failed);
    if (!done) return;
  }
  if (more) journal_->line(Journal::Level::kWarning, "erasing_unfinished");
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
    note({});
    teacher_.begin(now);
    const bool erasing = teacher_.tidy();
    teacher_.commit();
    if (std::exchange(erasing_, erasing) && !erasing) erased_();
    sweep_again_ = sweep_again_ || erasing;
    tell_of_trimmed(false);
    if (swept_) swept_();
  } catch (const StorageError& error) {
    sweep_again_ = false;
    storage_failed_ = true;
    fail(error.reason());
  } catch (const PolicyFault& fault) {
    note_policy(fault);
    sweep_again_ = teacher_.sweep_failed();
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
    fail(error.reason());
  } catch (const std::exception& error) {
    journal_->line(Journal::Level::kError, "damaged_record").with("problem", error.what());
  }
}

// Whether events can be stored: they cannot where there is a reason why.
void Writer::note(const Reason& why) {
  {
    const std::lock_guard lock(mutex_);
    const bool changed = trouble_.empty() != why.empty();
    trouble_ = why;
    if (changed && why.empty()) journal_->line(Journal::Level::kInfo, "storage_works_again");
    if (changed && !why.empty()) {
      journal_->line(Journal::Level::kError, "storage_failed").with("problem", why.why);
    }
  }
  metrics_->storage_ok.Set(why.empty() ? 1 : 0);
  if (!why.empty()) metrics_->storage_errors.Increment();
}

// The last transaction did.
void Writer::fail(const Reason& why) {
  note(why);
  roll_back();
}

// A policy failed in the last transaction, and neither the disk nor a record did.
void Writer::note_policy(const PolicyFault& fault) {
  journal_->line(Journal::Level::kError, "policy_failed").with("problem", fault.what());
  roll_back();
}

void Writer::roll_back() {
  try {
    teacher_.rollback();
  } catch (const StorageError&) {  // it is rolled back when the next one begins
  }
}

}  // namespace dcmrank::service
