#include "dcmrank/traffic/client.h"

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "dcmrank/base/error.h"
#include "dcmrank/base/text.h"

namespace dcmrank::traffic {
namespace {

constexpr auto kPause = std::chrono::milliseconds(50);
constexpr auto kLongestWait = std::chrono::minutes(1);  // of a call, for its turn

}  // namespace

void Experience::merge(const Experience& other) {
  for (std::size_t n = 0; n < latencies.size(); ++n) {
    latencies.at(n).merge(other.latencies.at(n));
    last.at(n) = std::max(last.at(n), other.last.at(n));
  }
  for (const auto& [status, count] : other.statuses) statuses[status] += count;
  for (const auto& [result, count] : other.results) results[result] += count;
  counted_later += other.counted_later;
  broken += other.broken;
}

Client::Client(const TrafficOptions& options, std::stop_token stop, std::size_t home)
    : home_(home), patience_(options.patience), stop_(std::move(stop)) {
  for (const Url& url : options.urls) {
    connections_.push_back(
        std::make_unique<Connection>(url, options.key, options.patience, options.tls));
  }
}

// Not longer than until the end of all.
void Client::pause(std::chrono::milliseconds time) const {
  const auto until = std::chrono::steady_clock::now() + time;
  do {
    if (stop_.stop_requested()) throw Interrupted("interrupted; nothing was checked");
    std::this_thread::sleep_until(std::min(until, std::chrono::steady_clock::now() + kPause));
  } while (std::chrono::steady_clock::now() < until);
}

Client::Outcome Client::call(Call call, std::string_view method, std::string_view path,
                             std::string_view body, std::optional<Due> due) {
  const auto first = std::chrono::steady_clock::now();
  Outcome outcome;
  std::string trouble;
  std::chrono::milliseconds waited(0);  // because the service said so: that is an answer
  std::size_t server = call == Call::kRank       ? home_
                       : call == Call::kFeedback ? home_ + 1
                                                 : others_++;
  for (;; ++server) {
    std::chrono::milliseconds wait = kPause;
    try {
      outcome.answer = ask(server % connections_.size(), method, path, body);
      const int status = outcome.answer.status;
      ++experience_.statuses[status];
      if (status == 200 || status == 404) {
        const auto now = std::chrono::steady_clock::now();
        const auto n = static_cast<std::size_t>(call);
        experience_.latencies.at(n).add(now - due.value_or(first));
        experience_.last.at(n) = now;
        return outcome;
      }
      trouble = fmt::format("{} {}: status {}: {}", method, quote(path), status,
                            quote(outcome.answer.body));
      if (status == 429) {
        wait = std::max<std::chrono::milliseconds>(kPause, outcome.answer.retry_after);
        waited += wait;
      }
      if ((status != 503 && status != 429) || waited > kLongestWait) {
        throw std::runtime_error(trouble);
      }
      outcome.repeated = outcome.repeated || status == 503;
    } catch (const Broken& broken) {
      outcome.repeated = true;
      ++experience_.broken;
      trouble = fmt::format("{} {}: {}", method, quote(path), broken.what());
    }
    const bool patient = std::chrono::steady_clock::now() - first <= patience_ + waited;
    if (!patient) throw std::runtime_error(trouble);
    pause(wait);
  }
}

std::string percent_encode(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || c == '-' || c == '_' || c == '.' || c == '~') {
      out += c;
    } else {
      fmt::format_to(std::back_inserter(out), "%{:02X}", byte);
    }
  }
  return out;
}

}  // namespace dcmrank::traffic
