#include "dcmrank/service/metrics.h"

#include <algorithm>

#include <prometheus/text_serializer.h>

#include "dcmrank/service/openapi.h"

namespace dcmrank::service {
namespace {

using prometheus::BuildCounter;
using prometheus::BuildGauge;
using prometheus::BuildHistogram;

prometheus::Counter& counter(prometheus::Registry& registry, const char* name, const char* help) {
  return BuildCounter().Name(name).Help(help).Register(registry).Add({});
}

prometheus::Gauge& gauge(prometheus::Registry& registry, const char* name, const char* help) {
  return BuildGauge().Name(name).Help(help).Register(registry).Add({});
}

prometheus::Histogram& seconds(prometheus::Registry& registry, const char* name, const char* help) {
  return BuildHistogram().Name(name).Help(help).Register(registry).Add(
      {},
      prometheus::Histogram::BucketBoundaries{1e-5, 2.5e-5, 5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3,
                                              5e-3, 1e-2, 2.5e-2, 5e-2, .1, .25, .5, 1, 2.5});
}

}  // namespace

Metrics::Metrics()
    : requests_(BuildCounter()
                    .Name("dcmrank_http_requests_total")
                    .Help("Answers by call and status")
                    .Register(*registry_)),
      refusals_(BuildCounter()
                    .Name("dcmrank_http_refusals_total")
                    .Help("Requests refused, by the code of the error")
                    .Register(*registry_)),
      impressions(counter(*registry_, "dcmrank_impressions_total", "Lists ranked")),
      corrections(counter(*registry_, "dcmrank_corrections_total",
                          "Contributions replaced after a late event")),
      held(counter(*registry_, "dcmrank_events_held_total",
                   "Events held for an impression not known yet")),
      held_expired(counter(*registry_, "dcmrank_events_held_expired_total",
                           "Held events whose impression never came")),
      purged(counter(*registry_, "dcmrank_impressions_purged_total",
                     "Closed impressions folded into their query and removed")),
      commits(counter(*registry_, "dcmrank_commits_total", "Transactions made durable")),
      conflicts(counter(*registry_, "dcmrank_conflicts_total",
                        "Buckets written again because another process wrote them first")),
      ranked_blind(counter(*registry_, "dcmrank_ranked_blind_total",
                           "Lists ranked without what was learned: the database was unreachable")),
      storage_errors(
          counter(*registry_, "dcmrank_storage_errors_total", "Transactions that failed")),
      storage_ok(gauge(*registry_, "dcmrank_storage_ok", "1 if the last transaction succeeded")),
      queued(gauge(*registry_, "dcmrank_queue_impressions",
                   "Lists that waited for the disk when the last transaction began")),
      connections(gauge(*registry_, "dcmrank_connections", "Open connections")),
      cache_bytes(gauge(*registry_, "dcmrank_cache_bytes", "Memory of the queries kept")),
      cache_queries(gauge(*registry_, "dcmrank_cache_queries", "Queries in memory")),
      cache_loads(counter(*registry_, "dcmrank_cache_loads",
                          "Queries that were looked for in the database since the start")),
      cache_evictions(counter(*registry_, "dcmrank_cache_evictions",
                              "Queries that left the memory since the start")),
      database_bytes(gauge(*registry_, "dcmrank_database_bytes",
                           "Size of the database; of a fleet, the same at every server")),
      commit_seconds(seconds(*registry_, "dcmrank_commit_seconds",
                             "From the start of a transaction until it is durable")),
      rank_seconds(seconds(*registry_, "dcmrank_rank_seconds",
                           "Time spent on a ranking request, from its last byte to its answer")),
      models(*registry_) {
  auto& events = BuildCounter()
                     .Name("dcmrank_events_total")
                     .Help("Feedback events by what became of them")
                     .Register(*registry_);
  for (std::size_t n = 0; n < events_.size(); ++n) {
    events_.at(n) = &events.Add({{"status", to_text(static_cast<EventStatus>(n))}});
  }
  auto& dropped = BuildCounter()
                      .Name("dcmrank_impressions_dropped_total")
                      .Help("Lists that could not be recorded: lost samples, by the reason")
                      .Register(*registry_);
  dropped_ = {&dropped.Add({{"reason", "queue"}}), &dropped.Add({{"reason", "not_kept"}}),
              &dropped.Add({{"reason", "failed"}})};
  auto& closed = BuildCounter()
                     .Name("dcmrank_impressions_closed_total")
                     .Help("Impressions that taught, by what closed them")
                     .Register(*registry_);
  closed_by_event_ = &closed.Add({{"by", "event"}});
  closed_by_timeout_ = &closed.Add({{"by", "timeout"}});
  storage_ok.Set(1);
  BuildGauge()
      .Name("dcmrank_build_info")
      .Help("Always 1; the label is the version of the program")
      .Register(*registry_)
      .Add({{"version", std::string(program_version())}})
      .Set(1);
  for (const char* code : {"no_key", "wrong_key", "expired_key", "too_many_requests", "reload"}) {
    refusals_.Add({{"code", code}});  // an alert on them needs a first value
  }
}

std::string Metrics::text() const {
  return prometheus::TextSerializer().Serialize(registry_->Collect());
}

prometheus::Counter& Metrics::answers(const char* call, int status) {
  return requests_.Add({{"call", call}, {"status", std::to_string(status)}});
}

void Metrics::set_cache_counts(std::uint64_t loads, std::uint64_t evictions) {
  const std::lock_guard lock(mutex_);
  cache_loads.Increment(std::max(0.0, static_cast<double>(loads) - cache_loads.Value()));
  cache_evictions.Increment(
      std::max(0.0, static_cast<double>(evictions) - cache_evictions.Value()));
}

void Metrics::refused(const std::string& code) { refusals_.Add({{"code", code}}).Increment(); }

}  // namespace dcmrank::service
