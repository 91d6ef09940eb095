// Many callers at once: every accepted event counts exactly once.
#include <array>
#include <atomic>
#include <thread>

#include "dcmrank/random/rng.h"
#include "service_test.h"

namespace dcmrank::testing {
namespace {

constexpr std::size_t kQueries = 12;
constexpr int kCallers = 8;
constexpr int kPages = 60;

class Crowd : public ServiceTest {
 protected:
  struct Tally {
    std::array<std::atomic<int>, kQueries> closed{};
    std::array<std::atomic<int>, kQueries> clicked{};  // on "a"
    std::atomic<int> wrong = 0;
  };

  // One caller: pages of random queries, clicks in any order, sent twice, some after closing.
  void behave(std::uint64_t seed, Tally& tally) const {
    Rng rng(seed);
    HttpClient client(address());
    for (int n = 0; n < kPages; ++n) {
      const std::size_t q = rng.below(kQueries);
      const json body{{"query", "q" + std::to_string(q)}, {"items", {"a", "b", "c"}}};
      const HttpAnswer ranked = client.call("POST", "/v1/rank", body.dump());
      if (ranked.status != 200) {
        ++tally.wrong;
        continue;
      }
      const std::string id = ranked.json()["impression"];
      std::vector<json> events{close(id), close(id)};
      if (rng.below(2) == 0) events.insert(events.end(), {click(id, "a"), click(id, "a")});
      for (std::size_t e = events.size(); e > 1; --e)
        std::swap(events[e - 1], events[rng.below(e)]);
      for (const json& event : events) {
        const json result = client.call("POST", "/v1/feedback", event.dump()).json()["results"][0];
        if (result["status"] == "duplicate") continue;
        if (result["status"] != "accepted") ++tally.wrong;
        ++(event["type"] == "close" ? tally.closed : tally.clicked)[q];
      }
      if (rng.below(10) == 0)
        client.call("GET", "/v1/models/default/queries/q" + std::to_string(q));
      if (rng.below(30) == 0) client.call("PUT", "/v1/models/m" + std::to_string(q), "{}");
      if (rng.below(30) == 0) client.call("GET", "/v1/export");
      if (rng.below(30) == 0) client.call("GET", "/metrics");
    }
  }
};

TEST_F(Crowd, IsCountedToTheLastClick) {
  start("--threads 4 --cache 8000");  // half of the queries fit: they come and go
  Tally tally;
  std::vector<std::thread> callers;
  for (int n = 0; n < kCallers; ++n) {
    callers.emplace_back([&, n] { behave(static_cast<std::uint64_t>(n) + 1, tally); });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(tally.wrong, 0);
  for (std::size_t q = 0; q < kQueries; ++q) {
    const json learned = query("q" + std::to_string(q));
    EXPECT_EQ(learned["rounds"], tally.closed[q].load());
    EXPECT_EQ(learned["items"][0]["attracted"], tally.clicked[q].load());
  }
  EXPECT_GT(metric("dcmrank_cache_evictions"), 0);
  EXPECT_EQ(stop().status, 0);
  expect_verified();
}

}  // namespace
}  // namespace dcmrank::testing
