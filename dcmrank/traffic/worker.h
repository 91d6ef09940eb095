#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <queue>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dcmrank/random/rng.h"
#include "dcmrank/traffic/client.h"
#include "dcmrank/traffic/options.h"
#include "dcmrank/traffic/page.h"
#include "dcmrank/users/dcm_users.h"

namespace dcmrank::traffic {

/// What all workers of a run share, and the checker: the queries and how they are named at the
/// service. Immutable.
class Scene {
 public:
  /// `tag` belongs to this run alone: it makes ids and queries that the service has not seen.
  Scene(const TrafficOptions& options, std::string tag);

  const TrafficOptions& options() const { return *options_; }
  const Query& query(std::size_t n) const { return options_->queries[n]; }
  std::string query_name(std::size_t n) const;
  std::string page_id(const Page& page) const;
  std::string event_id(const Page& page, std::size_t event) const;

  /// The query that a number in [0, 1) draws, by the weights.
  std::size_t draw(double uniform) const;
  std::string rank_body(const Page& page) const;
  Item item(std::size_t query, std::string_view id) const;
  const DcmUsers& users(std::size_t query) const { return users_[query]; }
  double best(std::size_t query) const { return best_[query]; }

 private:
  const TrafficOptions* options_;
  std::string tag_;
  std::vector<double> until_;  // cumulative weights
  std::vector<std::string> bodies_;
  std::vector<std::unordered_map<std::string_view, Item>> items_;
  std::vector<DcmUsers> users_;
  std::vector<double> best_;
};

/// Expected reward of what was shown, as a share of the optimal one, by time.
struct ShownShare {
  double sum = 0;
  std::uint64_t pages = 0;
};
inline constexpr std::size_t kSlices = 10;

/// The users of one connection.
class Worker {
 public:
  Worker(const Scene& scene, std::size_t number, std::stop_token stop);

  /// Shows pages until the duration is over, then sends what is still to be sent.
  void run(std::chrono::steady_clock::time_point start, std::atomic<std::uint64_t>& done);

  const std::vector<Page>& pages() const { return pages_; }
  const std::vector<ShownShare>& shown() const { return shown_; }
  /// Pages that were due before the end, and were not shown.
  std::uint64_t unsent() const { return unsent_; }
  Client& client() { return client_; }

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Due {
    Time at;
    std::size_t page = 0;
    std::size_t event = 0;
    bool operator>(const Due& other) const { return at > other.at; }
  };

  Time::duration due_after(std::uint64_t user) const;
  void show(std::uint64_t user, Time due, double progress);
  void report(Time now);

  const Scene* scene_;
  std::size_t number_;
  std::stop_token stop_;
  Client client_;
  Rng rng_;
  std::vector<Page> pages_;
  std::vector<ShownShare> shown_;
  std::uint64_t unsent_ = 0;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
};

}  // namespace dcmrank::traffic
