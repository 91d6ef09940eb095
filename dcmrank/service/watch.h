#pragma once

#include <chrono>
#include <optional>

#include "dcmrank/http/limits.h"
#include "dcmrank/service/journal.h"
#include "dcmrank/service/metrics.h"

namespace dcmrank::service {

/// What becomes of what the server tells of itself: numbers, and lines in the log.
class Watch final : public HttpWatch {
 public:
  /// `slow`: milliseconds from which a request is worth a line; `all`: each is.
  Watch(std::int64_t slow, bool all) : slow_(slow), all_(all) {}

  /// Where it goes; call before the server starts.
  void tell(Metrics& metrics, Journal& journal) {
    metrics_ = &metrics;
    journal_ = &journal;
  }

  void refused(const std::string& code) override { metrics_->refused(code); }
  void not_accepting(const std::string& why) override;
  void not_tls(std::string_view peer, const std::string& why) override;
  void now_open(std::size_t count) override {
    metrics_->connections.Set(static_cast<double>(count));
  }
  void answered(const Exchange& exchange) override;

 private:
  void write(const Exchange& exchange, Journal::Level level, std::string_view event);

  Metrics* metrics_ = nullptr;
  Journal* journal_ = nullptr;
  std::int64_t slow_;
  bool all_;
  std::optional<std::chrono::steady_clock::time_point> told_at_;  // not_accepting's thread
};

}  // namespace dcmrank::service
