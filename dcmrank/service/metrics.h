#pragma once

#include <array>
#include <cstdint>
#include <memory>
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

/// Everything that /metrics shows: docs/operations.md says what each means. Any thread.
class Metrics {
 public:
  Metrics();
  std::string text() const;

  prometheus::Counter& answers(const char* call, int status);
  void refused(const std::string& code);
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
  prometheus::Gauge& cache_loads;
  prometheus::Gauge& cache_evictions;
  prometheus::Gauge& database_bytes;
  prometheus::Histogram& commit_seconds;
  prometheus::Histogram& rank_seconds;
  // NOLINTEND(*-avoid-const-or-ref-data-members)
};

}  // namespace dcmrank::service
