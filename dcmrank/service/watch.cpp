#include "dcmrank/service/watch.h"

#include "dcmrank/service/route.h"

namespace dcmrank::service {
namespace {

constexpr std::string_view kKeyRefusedLine = "refused_key";
constexpr std::string_view kRefusedLine = "refused";
constexpr std::string_view kRequestLine = "request";

}  // namespace

void Watch::write(const Exchange& exchange, Journal::Level level, std::string_view event) {
  const bool always = event == kRequestLine;
  // Addresses may be those of persons: only where somebody looks for who it was.
  const bool with_peer = always || event == kRefusedLine || event == kKeyRefusedLine;
  Journal::Line line = journal_->line(level, event, always);
  const std::string_view call = exchange.call;
  line.with("request", exchange.id).with("method", exchange.method);
  line.with("call", call.empty() ? to_text(Call::kCount) : call);
  line.with("status", static_cast<std::uint64_t>(exchange.status));
  line.with_seconds("seconds", exchange.seconds);
  line.with("bytes", std::uint64_t{exchange.bytes});
  if (!exchange.caller.empty()) line.with("key", exchange.caller);
  if (with_peer && !exchange.peer.empty()) line.with("peer", exchange.peer);
  if (!exchange.problem.empty()) line.with("problem", exchange.problem);
}

// It is tried ten times a second.
void Watch::not_accepting(const std::string& why) {
  static constexpr std::chrono::minutes kTellEvery(1);
  const auto now = std::chrono::steady_clock::now();
  if (told_at_ && now - *told_at_ < kTellEvery) return;
  told_at_ = now;
  journal_->line(Journal::Level::kError, "not_accepting").with("problem", why);
}

void Watch::not_tls(std::string_view peer, const std::string& why) {
  Journal::Line line = journal_->line(Journal::Level::kWarning, "tls_failed");
  if (!peer.empty()) line.with("peer", peer);
  line.with("problem", why);
}

// One line for each at most: the one that tells most.
void Watch::answered(const Exchange& exchange) {
  using Level = Journal::Level;
  if (exchange.status >= 500) return write(exchange, Level::kError, "failed");
  if (exchange.status == 401) return write(exchange, Level::kWarning, kKeyRefusedLine);
  if (exchange.status == 403 || exchange.status == 429) {
    return write(exchange, Level::kWarning, kRefusedLine);
  }
  if (exchange.seconds * 1000 >= static_cast<double>(slow_)) {
    return write(exchange, Level::kWarning, "slow");
  }
  if (all_) write(exchange, Level::kInfo, kRequestLine);
}

}  // namespace dcmrank::service
