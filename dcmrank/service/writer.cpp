#include "dcmrank/service/writer.h"

#include <chrono>
#include <utility>

namespace dcmrank::service {
namespace {

using namespace std::chrono_literals;
constexpr auto kCompany = 50ms;       // how long lists alone wait for more
constexpr std::size_t kCrowd = 4000;  // but no longer than until they are so many
constexpr Time kSweepEvery = 500;     // milliseconds

}  // namespace

Writer::Writer(Database database, QueryCache& cache, const Models& models, const Clock& clock,
               const Lifetimes& lifetimes, const Limits& limits, Metrics& metrics)
    : database_(std::move(database)),
      clock_(&clock),
      limits_(limits),
      metrics_(&metrics),
      teacher_(database_, cache, models, lifetimes, limits, metrics) {}

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

bool Writer::offer(NewImpression impression) {
  const std::lock_guard lock(mutex_);
  if (stopping_ || waiting_.impressions.size() >= limits_.queue) return false;
  waiting_.impressions.push_back(std::move(impression));
  const std::size_t size = waiting_.impressions.size();
  if (size == 1 || size == kCrowd) ready_.notify_one();
  return true;
}

bool Writer::offer(Feedback& feedback) {
  {
    const std::lock_guard lock(mutex_);
    const std::size_t events = feedback.events.size();
    if (stopping_ || waiting_.events + events > limits_.queue_events) return false;
    waiting_.events += events;
    waiting_.feedback.push_back(std::move(feedback));
  }
  ready_.notify_one();
  return true;
}

bool Writer::offer(Job job) {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return false;
    waiting_.jobs.push_back(std::move(job));
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
  const auto urgent = [&] {
    return stopping_ || !waiting_.feedback.empty() || !waiting_.jobs.empty();
  };
  const auto some = [&] { return urgent() || !waiting_.impressions.empty(); };
  ready_.wait_for(lock, sweep_again_ ? 0ms : 200ms, some);
  if (!urgent() && !waiting_.impressions.empty()) {
    ready_.wait_for(lock, kCompany,
                    [&] { return urgent() || waiting_.impressions.size() >= kCrowd; });
  }
  return std::exchange(waiting_, {});
}

void Writer::run() {
  for (;;) {
    Batch batch = next();
    metrics_->queued.Set(static_cast<double>(batch.impressions.size()));
    if (batch.empty()) {
      const std::lock_guard lock(mutex_);
      if (stopping_) return;
    }
    if (!batch.empty()) process(std::move(batch));
    sweep();
    const std::lock_guard lock(mutex_);
    if (stopping_ && storage_failed_) return;  // what waits cannot be kept
  }
}

void Writer::process(Batch batch) {
  if (!batch.impressions.empty() || !batch.feedback.empty()) {
    std::vector<Feedback*> all;
    all.reserve(batch.feedback.size());
    for (Feedback& feedback : batch.feedback) all.push_back(&feedback);
    if (attempt(batch.impressions, all)) {
      for (const NewImpression& impression : batch.impressions) settled_(impression);
    } else if (storage_failed_) {
      for (Feedback& feedback : batch.feedback) feedback.done({}, trouble());
      keep_for_later(std::move(batch.impressions));
    } else {
      attempt_each(batch);
    }
  }
  for (Job& job : batch.jobs) run_job(job);
}

// Something in the batch, and not the disk, is at fault: nobody else shall suffer for it.
void Writer::attempt_each(Batch& batch) {
  for (NewImpression& impression : batch.impressions) {
    std::vector<NewImpression> one;
    one.push_back(std::move(impression));
    if (!attempt(one, {})) metrics_->impressions_dropped.Increment();
    settled_(one.front());
  }
  for (Feedback& feedback : batch.feedback) {
    if (!attempt({}, {&feedback})) feedback.done({}, trouble());
  }
}

bool Writer::attempt(const std::vector<NewImpression>& impressions,
                     std::vector<Feedback*> feedback) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::vector<EventResult>> results;
  try {
    teacher_.begin();
    const Time now = clock_->now();
    for (const NewImpression& impression : impressions) teacher_.add(impression, now);
    for (const Feedback* request : feedback) {
      auto& result = results.emplace_back();
      for (const Event& event : request->events) {
        result.push_back(teacher_.take(event, request->model, now));
      }
    }
    teacher_.commit();
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
  for (std::size_t n = 0; n < feedback.size(); ++n) {
    for (const EventResult& result : results[n]) metrics_->event(result.status).Increment();
    feedback[n]->done(std::move(results[n]), "");
  }
  return true;
}

void Writer::run_job(Job& job) {
  try {
    teacher_.begin();
    job.work(teacher_);
    teacher_.commit();
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
    teacher_.begin();
    sweep_again_ = teacher_.sweep(now);
    if (!trouble().empty()) teacher_.probe(now);
    teacher_.commit();
    storage_failed_ = false;
    fail("");
  } catch (const StorageError& error) {
    sweep_again_ = false;
    storage_failed_ = true;
    fail(error.what());
  } catch (const std::exception&) {
    roll_back();
    sweep_again_ = teacher_.sweep_failed();
  }
}

// Notes how the last transaction went: it failed where there is a reason why.
void Writer::fail(const std::string& why) {
  {
    const std::lock_guard lock(mutex_);
    trouble_ = why;
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

void Writer::keep_for_later(std::vector<NewImpression> impressions) {
  std::unique_lock lock(mutex_);
  auto& waiting = waiting_.impressions;
  const std::size_t room = limits_.queue - std::min(limits_.queue, waiting.size());
  const std::size_t kept = std::min(room, impressions.size());
  waiting.insert(waiting.begin(), std::make_move_iterator(impressions.begin()),
                 std::make_move_iterator(impressions.begin() + static_cast<std::ptrdiff_t>(kept)));
  lock.unlock();
  for (std::size_t n = kept; n < impressions.size(); ++n) {
    metrics_->impressions_dropped.Increment();
    settled_(impressions[n]);
  }
}

}  // namespace dcmrank::service
