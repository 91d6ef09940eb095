#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "dcmrank/http/budget.h"
#include "dcmrank/ledger/model.h"
#include "dcmrank/ledger/numbers.h"
#include "dcmrank/service/background.h"
#include "dcmrank/service/cache.h"
#include "dcmrank/service/clock.h"
#include "dcmrank/service/journal.h"
#include "dcmrank/service/keys.h"
#include "dcmrank/service/metrics.h"
#include "dcmrank/service/options.h"
#include "dcmrank/service/rate_limits.h"
#include "dcmrank/service/shared_fits.h"
#include "dcmrank/service/writer.h"
#include "dcmrank/store/store.h"

namespace dcmrank::service {

/// Answers to requests that named their impression, until these are in the database.
class NamedAnswers {
 public:
  struct Entry {
    std::string body;  // a hash of the request
    std::string answer;
  };
  struct Shard {
    std::mutex mutex;
    std::unordered_map<std::string, Entry> entries;
    std::unordered_set<std::string> turns;  // of those that are being answered
    std::condition_variable over;           // one of these

    std::optional<Entry> find(const std::string& name) {
      const std::lock_guard lock(mutex);
      const auto at = entries.find(name);
      return at == entries.end() ? std::nullopt : std::optional(at->second);
    }
  };

  /// The right to answer for a name, which one thread has at a time.
  class Turn {
   public:
    /// `waits`: for another one that has it; otherwise it may have none.
    Turn(Shard& shard, std::string name, bool waits);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    Turn(Turn&&) = delete;
    Turn& operator=(Turn&&) = delete;
    explicit operator bool() const { return has_; }

   private:
    Shard* shard_;
    std::string name_;
    bool has_ = false;
  };

  Shard& of(std::string_view name) { return shards_[id_hash(name) % shards_.size()]; }
  /// Ids belong to their models.
  static std::string name(std::int64_t model, std::string_view id);

 private:
  std::array<Shard, 64> shards_;
};

/// Throws InputError unless the options name one place where everything can be kept.
void check_place(const ServiceOptions& options);

/// What all threads of a service share, and the order in which it starts and stops.
class Service {
 public:
  /// Opens the data folder. Throws InputError where it cannot be used.
  explicit Service(ServiceOptions options,
                   std::shared_ptr<const Keys> keys = std::make_shared<const Keys>());
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;
  Service(Service&&) = delete;
  Service& operator=(Service&&) = delete;

  /// Commits all that waits. No request may be under way.
  void stop() {
    if (stopping_.exchange(true)) return;
    fits_.stop();
    background_.stop();
    writer_.stop();
    wipe_at_the_end();
  }

  void background(std::function<void()> work) { background_.add(std::move(work)); }

  const ServiceOptions& options() const { return options_; }
  Journal& journal() { return journal_; }
  KeyRing& keys() { return keys_; }
  RateLimits& rates() { return rates_; }
  Metrics& metrics() { return metrics_; }
  Models& models() { return models_; }
  const Models& models() const { return models_; }
  QueryCache& cache() { return cache_; }
  Store& store() { return *store_; }
  Writer& writer() { return writer_; }
  ByteBudget& imports() { return imports_; }
  NamedAnswers& named() { return named_; }
  const Clock& clock() const { return clock_; }

  Numbers& numbers() { return numbers_; }

  /// Why events cannot be stored; empty where they can.
  Reason trouble() const;

  /// Brings the gauges up to date.
  void measure();

  /// The model with the times of this service where it has none of its own.
  Model as_here(Model model) const;

  /// Reads the models again, after a change in the store.
  void reload_models();

  /// Somebody asks for a model that is not known here: another server may just have made it. Reads
  /// the models if they changed; nothing where that was asked too often just now. Throws
  /// StorageError where the store cannot be asked.
  void look_for_models();

  /// Wipes what was erased from the store (Store::wipe), in the background, until that is done.
  void wipe();

 private:
  void follow_recommendation();
  void follow_others();
  void follow_models();
  void read_models();
  void look_after();
  void doubt_the_clock();
  void wipe_at_the_end();
  void note_wiped();
  void note_not_wiped(const std::exception& error);
  void pause_wiping();

  ServiceOptions options_;
  Journal journal_;
  KeyRing keys_;
  RateLimits rates_;
  Metrics metrics_;
  std::mutex models_mutex_;  // what is read later is published later
  std::uint64_t models_seen_ = 0;
  static constexpr std::uint64_t kLooks = 20;  // for models, a second
  RateLimits looks_{kLooks, kLooks};
  std::atomic<bool> look_failed_ = false;  // the last one
  Models models_;
  QueryCache cache_;
  std::unique_ptr<Store> store_;
  Clock clock_;
  Numbers numbers_;
  NamedAnswers named_;
  ByteBudget imports_;
  SharedFits fits_;
  Writer writer_;
  std::atomic<bool> stopping_ = false;
  std::atomic<bool> wipe_waits_ = false;
  std::atomic<bool> wipe_owed_ = false;  // something was erased here, and is not wiped yet
  using Moment = std::chrono::steady_clock::time_point;
  std::atomic<Moment> wipe_after_{};    // where it failed, not before
  std::chrono::seconds wipe_pause_{0};  // the last one; the background's thread only
  Moment wiped_at_{};                   // for what nobody erased just then
  Background background_;
};

}  // namespace dcmrank::service
