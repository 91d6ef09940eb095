#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "dcmrank/traffic/http.h"
#include "dcmrank/traffic/latencies.h"
#include "dcmrank/traffic/options.h"

namespace dcmrank::traffic {

enum class Call : std::uint8_t { kRank, kFeedback, kOther };
inline constexpr std::array<const char*, 3> kCallNames{"rank", "feedback", "other"};

/// What a client experienced. Monoid under merge.
struct Experience {
  using Time = std::chrono::steady_clock::time_point;

  std::array<Latencies, kCallNames.size()> latencies;
  std::array<Time, kCallNames.size()> last{};    // when the last answer came, by call
  std::map<int, std::uint64_t> statuses;         // of answers, by HTTP status
  std::map<std::string, std::uint64_t> results;  // of events, by the service's word
  std::uint64_t counted_later = 0;  // events that were held and counted once their list came
  std::uint64_t broken = 0;         // calls without an answer

  void merge(const Experience& other);
};

/// A client that tries again where it may: without an answer, after 503, and after 429 as soon as
/// the service says. All calls of the
/// service may be repeated: a page has an id, and so has an event.
class Client {
 public:
  /// `home`: the server that ranks for it; events are reported to the one after it.
  Client(const TrafficOptions& options, std::stop_token stop, std::size_t home = 0);

  struct Outcome {
    Answer answer;
    bool repeated = false;  // an earlier try had no answer, or 503: it may have counted
  };

  using Due = std::chrono::steady_clock::time_point;

  /// Throws std::runtime_error if no answer but 503 comes within the patience, if it is to wait
  /// longer than a minute because it asks for too much (429), or the status is another than 200 or
  /// 404. The latency is what a user waits: from when the call was due, which may
  /// be long ago where the client was held up by an earlier one, to the answer of the last try.
  /// Where a server does not answer, the next one is asked.
  Outcome call(Call call, std::string_view method, std::string_view path,
               std::string_view body = "", std::optional<Due> due = std::nullopt);

  Experience& experience() { return experience_; }
  std::size_t servers() const { return connections_.size(); }
  /// One try at a certain server.
  Answer ask(std::size_t server, std::string_view method, std::string_view path,
             std::string_view body = "") {
    return connections_[server]->call(method, path, body);
  }

 private:
  void pause(std::chrono::milliseconds time) const;

  std::vector<std::unique_ptr<Connection>> connections_;  // one for each server
  std::size_t home_;
  std::size_t others_ = 0;  // calls that any server may answer
  std::chrono::milliseconds patience_;
  std::stop_token stop_;
  Experience experience_;
};

/// The text, encoded for a path.
std::string percent_encode(std::string_view text);

}  // namespace dcmrank::traffic
