#include "dcmrank/service/watch.h"

namespace dcmrank::service {

void Watch::write(const Exchange& exchange, Journal::Level level, std::string_view event,
                  bool always) {
  Journal::Line line = journal_->line(level, event, always);
  line.with("request", exchange.id).with("method", exchange.method).with("call", exchange.call);
  line.with("status", static_cast<std::uint64_t>(exchange.status));
  line.with_seconds("seconds", exchange.seconds);
  line.with("bytes", std::uint64_t{exchange.bytes});
  if (!exchange.caller.empty()) line.with("key", exchange.caller);
  if (!exchange.problem.empty()) line.with("problem", exchange.problem);
}

// One line for each at most: the one that tells most.
void Watch::answered(const Exchange& exchange) {
  using Level = Journal::Level;
  if (exchange.status >= 500) return write(exchange, Level::kError, "failed", false);
  if (exchange.status == 401) return write(exchange, Level::kWarning, "refused_key", false);
  if (exchange.status == 403 || exchange.status == 429) {
    return write(exchange, Level::kWarning, "refused", false);
  }
  if (exchange.seconds * 1000 >= static_cast<double>(slow_)) {
    return write(exchange, Level::kWarning, "slow", false);
  }
  if (all_) write(exchange, Level::kInfo, "request", true);
}

}  // namespace dcmrank::service
