#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include "dcmrank/ledger/impression.h"

namespace dcmrank::service {

/// Why a list was never recorded: too many waited for the disk; its query was erased, or its id is
/// another's; it could not be stored though others could.
enum class Dropped : std::uint8_t { kQueue, kNotKept, kFailed };

/// What users did with the lists of one model.
struct ModelMetrics {
  prometheus::Counter* clicks = nullptr;
  prometheus::Counter* pages = nullptr;    // closed
  prometheus::Counter* clicked = nullptr;  // closed, with a click
};

/// Such numbers for each model, by its name; what one server counts for more than kMost models is
/// counted together, without a name. Any thread.
class MetricsOfModels {
 public:
  static constexpr std::size_t kMost = 50;
  explicit MetricsOfModels(prometheus::Registry& registry);

  /// Clicks that were counted, pages that closed, and those of them that have a click.
  void count(std::int64_t model, const std::string& name, std::uint64_t clicks, bool page,
             bool clicked);
  /// It was erased: its name goes.
  void forget(std::int64_t model);

 private:
  ModelMetrics make(const std::string& name);

  std::array<prometheus::Family<prometheus::Counter>*, 3> families_{};
  std::mutex mutex_;
  std::map<std::int64_t, ModelMetrics> models_;
  ModelMetrics others_;
};

/// Everything that /metrics shows: docs/operations.md says what each means. Any thread.
class Metrics {
 public:
  Metrics();
  std::string text() const;

  prometheus::Counter& answers(const char* call, int status);
  void refused(const std::string& code);
  /// Since the start.
  void set_cache_counts(std::uint64_t loads, std::uint64_t evictions);
  prometheus::Counter& event(EventStatus status) {
    return *events_.at(static_cast<std::size_t>(status));
  }
  prometheus::Counter& impressions_dropped(Dropped why) {
    return *dropped_.at(static_cast<std::size_t>(why));
  }
  prometheus::Counter& closed(ImpressionState state) {
    return state == ImpressionState::kTimedOut ? *closed_by_timeout_ : *closed_by_event_;
  }

  // NOLINTBEGIN(*-avoid-const-or-ref-data-members): the registry owns them and lives as long.
 private:
  std::shared_ptr<prometheus::Registry> registry_ = std::make_shared<prometheus::Registry>();
  prometheus::Family<prometheus::Counter>& requests_;
  prometheus::Family<prometheus::Counter>& refusals_;
  std::array<prometheus::Counter*, 5> events_{};
  std::array<prometheus::Counter*, 3> dropped_{};
  prometheus::Counter* closed_by_event_ = nullptr;
  prometheus::Counter* closed_by_timeout_ = nullptr;
  std::mutex mutex_;

 public:
  prometheus::Counter& impressions;
  prometheus::Counter& corrections;
  prometheus::Counter& held;
  prometheus::Counter& held_expired;
  prometheus::Counter& purged;
  prometheus::Counter& commits;
  prometheus::Counter& conflicts;
  prometheus::Counter& ranked_blind;
  prometheus::Counter& storage_errors;
  prometheus::Gauge& storage_ok;
  prometheus::Gauge& queued;
  prometheus::Gauge& connections;
  prometheus::Gauge& cache_bytes;
  prometheus::Gauge& cache_queries;
  prometheus::Counter& cache_loads;
  prometheus::Counter& cache_evictions;
  prometheus::Gauge& database_bytes;
  prometheus::Histogram& commit_seconds;
  prometheus::Histogram& rank_seconds;
  MetricsOfModels models;
  // NOLINTEND(*-avoid-const-or-ref-data-members)
};

}  // namespace dcmrank::service
