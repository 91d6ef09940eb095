// How the writer stores what has come together: all at once, else one by one.
#include <chrono>
#include <map>
#include <thread>
#include <utility>

#include "dcmrank/service/writer.h"

namespace dcmrank::service {
namespace {

using namespace std::chrono_literals;
constexpr std::size_t kBit = 64;  // lists that are stored in one go where nobody waits
constexpr std::chrono::microseconds kRests = 20ms;  // between all bits of a transaction
constexpr int kTries = 20;  // where other processes write the same at the same time
constexpr const char* kDamaged = "a record that it belongs to is damaged";
constexpr const char* kPolicyFailed =
    "the policy of its model failed to learn from it; the service's log says how";
// Who waits for a lock of somebody else waits 5 s for it (libpq/session.cpp), and not once more.
constexpr auto kConflicts = 4000ms;
constexpr auto kJobConflicts = 20'000ms;
constexpr const char* kLocked = "somebody else has locked records of the database";
constexpr const char* kOthers = "other servers are changing the same records; try again";

Reason reason_of(Kept::Not why) {
  switch (why) {
    case Kept::Not::kErased:
      return our_reason("it, its query, or an item of it, was erased meanwhile; rank it again");
    case Kept::Not::kModelErased:
      return our_reason("its model has been erased");
    case Kept::Not::kIdTaken:
      return our_reason(
          "another list of this id was stored first; ask again: the same request is answered with "
          "it");
  }
  return {};
}

}  // namespace

void Writer::process(Batch batch) {
  std::vector<Feedback*> all;
  all.reserve(batch.feedback.size());
  std::vector<std::pair<std::string, std::size_t>> taken;
  for (Feedback& feedback : batch.feedback) {
    taken.emplace_back(feedback.caller.name, feedback.bytes());
    const bool refused = feedback.awaited && feedback.awaited->is_given();  // it will come again
    if (!refused) all.push_back(&feedback);
  }
  if (!batch.lists.empty() || !all.empty()) {
    if (!attempt(batch.lists, all) && !storage_failed_) attempt_each(batch);
    const Reason why = storage_failed_ ? trouble() : our_reason(kOthers);
    for (Feedback& feedback : batch.feedback) {
      if (!answer(feedback)) feedback.done({}, why);
    }
    std::vector<Shown> later;
    std::map<std::string, std::size_t> settled;  // bytes by caller
    for (Shown& shown : batch.lists) {
      if (shown.fate == Shown::Fate::kWaits) {
        later.push_back(std::move(shown));
      } else {
        settled[shown.caller] += shown.impression.bytes();
        settle(shown, shown.refusal);
      }
    }
    keep_for_later(std::move(later), settled, why);
    const std::lock_guard lock(mutex_);
    for (const auto& [caller, bytes] : settled) list_bytes_.give(caller, bytes);
  }
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [caller, bytes] : taken) event_bytes_.give(caller, bytes);
  }
}

// Something in the batch, and not the disk, is at fault: nobody else shall suffer for it.
void Writer::attempt_each(Batch& batch) {
  for (Shown& shown : batch.lists) {
    const bool stored = attempt({&shown, 1}, {});
    if (storage_failed_) return;
    if (stored) continue;
    metrics_->impressions_dropped(Dropped::kFailed).Increment();
    shown.fate = Shown::Fate::kRefused;
    shown.refusal = our_reason(policy_failed_ ? kPolicyFailed : kDamaged);
  }
  for (Feedback& feedback : batch.feedback) {
    Feedback* one = &feedback;
    const bool stored = attempt({}, {&one, 1});
    if (storage_failed_) return;
    if (!stored) attempt_events(feedback);
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
      feedback.results[n] = {EventStatus::kRejected, policy_failed_ ? kPolicyFailed : kDamaged};
      metrics_->event(EventStatus::kRejected).Increment();
    }
  }
  note({});  // the disk did not fail
}

// False where something of it has no result.
bool Writer::answer(Feedback& feedback) {
  std::vector<EventResult> results;
  for (auto& result : feedback.results) {
    if (result) results.push_back(std::move(*result));
  }
  if (results.size() < feedback.events.size()) return false;
  feedback.done(std::move(results), {});
  return true;
}

void Writer::settle(const Shown& shown, const Reason& failure) const {
  settled_(shown.impression);
  if (shown.done) shown.done(failure);
}

// A transaction. Whether it succeeded.
bool Writer::transact(const std::function<void()>& work, Buckets& failed) {
  const auto start = std::chrono::steady_clock::now();
  policy_failed_ = false;
  try {
    teacher_.begin(clock_->now());
    work();
    failed = teacher_.commit();
  } catch (const StorageError& error) {
    storage_failed_ = true;
    fail(error.reason());
    return false;
  } catch (const PolicyFault& fault) {
    storage_failed_ = false;
    policy_failed_ = true;
    note_policy(fault);
    return false;
  } catch (const std::exception& error) {
    storage_failed_ = false;
    fail({error.what(), kDamaged});
    return false;
  }
  storage_failed_ = false;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  metrics_->commit_seconds.Observe(took.count());
  metrics_->commits.Increment();
  return true;
}

// Stores what waits, and again what others were faster in. False where something went wrong; what
// is durable by then has its result.
bool Writer::attempt(std::span<Shown> lists, std::span<Feedback* const> feedback) {
  const auto start = std::chrono::steady_clock::now();
  for (int tries = 1;; ++tries) {
    Buckets failed;
    if (!attempt_once(lists, feedback, tries > 1, failed)) return false;
    if (failed.none() && !feedback.empty()) note({});  // lists alone do not prove that events pass
    if (failed.none() || tries == kTries || give_up(start, kConflicts)) return true;
    metrics_->conflicts.Increment(static_cast<double>(failed.count()));
    std::this_thread::sleep_for(tries * 1ms);
  }
}

bool Writer::attempt_once(std::span<Shown> lists, std::span<Feedback* const> feedback, bool again,
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
  std::vector<Kept> kept(shown.size());
  bool leisure = !hurried_;
  const auto rests = kRests / (1 + shown.size() / kBit);
  const bool done = transact(
      [&] {
        if (again) teacher_.look_again();
        teacher_.expect(impressions, events);
        for (std::size_t n = 0; n < shown.size(); ++n) {
          kept[n] = teacher_.add(*impressions[n]);
          if (n % kBit != kBit - 1) continue;
          if (leisure) leisure = rest(rests);
          if (stop_adding()) shown.resize(n + 1);
        }
        for (std::size_t n = 0; n < places.size(); ++n) {
          places[n].result = teacher_.take(*events[n].event, *events[n].caller);
        }
      },
      failed);
  if (!done) return false;
  for (std::size_t n = 0; n < shown.size(); ++n) {
    if (failed.test(bucket_of(shown[n]->impression.number))) continue;
    shown[n]->fate = kept[n] ? Shown::Fate::kStored : Shown::Fate::kRefused;
    if (kept[n]) continue;
    shown[n]->refusal = reason_of(kept[n].why());
    if (kept[n].why() == Kept::Not::kModelErased) last_refresh_ = {};  // it is not known yet
    metrics_->impressions_dropped(Dropped::kNotKept).Increment();
  }
  for (Place& place : places) {
    if (place.result.bucket && failed.test(*place.result.bucket)) continue;
    metrics_->event(place.result.status).Increment();
    place.request->results[place.event] = std::move(place.result);
  }
  return true;
}

// What goes on for so long does not for want of luck.
bool Writer::give_up(std::chrono::steady_clock::time_point start,
                     std::chrono::milliseconds patience) {
  if (std::chrono::steady_clock::now() - start < patience) return false;
  storage_failed_ = true;
  note(our_reason(kLocked));
  return true;
}

// Where the disk fails no list is stored, and no job succeeds: whoever waits for one shall know.
// They may take long, an import for instance: nobody is refused for that.
void Writer::run_jobs() {
  const auto ready = [&] {
    return !jobs_.empty() && (storage_failed_ || backlog_.first() >= jobs_.front().after);
  };
  if (!ready()) return;
  take_turn(false);
  overdue_.pause();
  while (ready()) {
    Job job = std::move(jobs_.front().job);
    jobs_.pop_front();
    run_job(job);
    const std::lock_guard lock(mutex_);
    --open_jobs_;
  }
  overdue_.resume();
}

void Writer::run_job(Job& job) {
  const auto start = std::chrono::steady_clock::now();
  try {
    for (int tries = 1;; ++tries) {
      teacher_.begin(clock_->now());
      job.work(teacher_);
      if (teacher_.commit().none()) break;
      if (tries == kTries || give_up(start, kJobConflicts))
        return job.done(std::make_exception_ptr(StorageError(kOthers)));
      std::this_thread::sleep_for(tries * 1ms);
    }
    storage_failed_ = false;
    job.done(nullptr);
  } catch (const UnsureError& error) {
    storage_failed_ = true;
    fail(error.lost());
    job.done(std::current_exception());
  } catch (const StorageError& error) {
    storage_failed_ = true;
    fail(error.reason());
    job.done(std::current_exception());
  } catch (...) {
    roll_back();
    job.done(std::current_exception());
  }
}

// They keep their place: what comes next was shown later.
void Writer::keep_for_later(std::vector<Shown> lists, std::map<std::string, std::size_t>& settled,
                            const Reason& why) {
  std::vector<Shown> kept;
  for (Shown& shown : lists) {
    if (shown.done) {  // its caller waits, and shall know
      settled[shown.caller] += shown.impression.bytes();
      settle(shown, why);
    } else {
      kept.push_back(std::move(shown));
    }
  }
  backlog_.put_back(std::move(kept));
}

}  // namespace dcmrank::service
