// A PostgreSQL whose tables somebody has locked, or that stands still as a whole: whoever reports
// is told in time, and what goes through later counts once.
#include <atomic>
#include <chrono>

#include "fleet_test.h"

namespace dcmrank::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

class FleetLocked : public FleetTest {
 protected:
  static constexpr std::chrono::seconds kBound{11};  // docs/fleet.md: 10 s

  void SetUp() override {
    if (!PgCluster::is_installed()) GTEST_SKIP() << "PostgreSQL is not installed";
    cluster_ = std::make_unique<PgCluster>();
    store_ = cluster_->new_database();
  }
  std::string sql(const std::string& text) const { return cluster_->ask(text, "d1"); }

  // Held until the process ends.
  std::unique_ptr<Process> locking(const std::string& what) const {
    auto process = std::make_unique<Process>(
        std::vector<std::string>{PgCluster::program("psql"), "-qAtX", "-c",
                                 "BEGIN; LOCK TABLE " + what + "; SELECT pg_sleep(600)", store_},
        folder());
    EXPECT_TRUE(eventually([&] { return sleeping() == "1"; }));
    return process;
  }
  std::string sleeping() const {
    return sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'");
  }
  void release(Process& process) const {
    sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'");
    process.wait();
  }
  // Of many queries, so that their events are in many buckets.
  json lists(const Server& server) const {
    json events = json::array();
    for (int n = 0; n < 12; ++n) {
      const json list =
          ask(server, "POST", "/v1/rank",
              {{"query", "q" + std::to_string(n)}, {"items", {"x", "y"}}, {"durable", true}});
      events.push_back(
          {{"impression", list["impression"]}, {"type", "close"}, {"id", "e" + std::to_string(n)}});
    }
    return events;
  }
  void expect_refused_in_time(const Server& server, const std::string& path,
                              const std::string& body) {
    const auto start = steady_clock::now();
    const HttpAnswer answer = HttpClient(server.address()).call("POST", path, body);
    const auto took = std::chrono::duration_cast<milliseconds>(steady_clock::now() - start);
    EXPECT_EQ(answer.status, 503) << answer.body;
    EXPECT_EQ(answer.headers.count("retry-after"), 1U);
    EXPECT_LT(took, kBound) << took.count();
  }
  // Each counted once, whoever stored it when.
  void expect_each_counted_once(const Server& server, const json& events) {
    json results;
    EXPECT_TRUE(eventually([&] {
      const HttpAnswer answer =
          HttpClient(server.address()).call("POST", "/v1/feedback", events.dump());
      if (answer.status == 200) results = answer.json()["results"];
      return answer.status == 200;
    }));
    for (const json& result : results) {
      EXPECT_TRUE(result["status"] == "accepted" || result["status"] == "duplicate") << result;
    }
    EXPECT_TRUE(eventually([&] { return status_of(server, "GET", "/readyz") == 200; }));
    for (int n = 0; n < 12; ++n) {
      const std::string path = "/v1/models/default/queries/q" + std::to_string(n);
      // Readers are refused a little longer.
      EXPECT_TRUE(eventually([&] { return status_of(server, "GET", path) == 200; }));
      EXPECT_EQ(ask(server, "GET", path)["rounds"], 1);
    }
  }

  std::unique_ptr<PgCluster> cluster_;
};

TEST_F(FleetLocked, ATableThatIsLockedIsToldInTime) {
  const auto a = serve();
  for (const std::string what :
       {"dcmrank.impression IN SHARE MODE", "dcmrank.delta IN ACCESS EXCLUSIVE MODE"}) {
    const json events = lists(*a);
    const auto other = locking(what);
    expect_refused_in_time(*a, "/v1/feedback", events.dump());
    EXPECT_EQ(status_of(*a, "GET", "/readyz"), 503);
    if (what.starts_with("dcmrank.impression")) {
      expect_refused_in_time(*a, "/v1/rank", R"({"query":"q","items":["x","y"],"durable":true})");
    }
    for (int n = 0; n < 20; ++n) {
      EXPECT_EQ(status_of(*a, "POST", "/v1/rank", R"({"query":"q0","items":["x","y"]})"), 200);
      EXPECT_EQ(status_of(*a, "GET", "/readyz"), 503) << "it does not take turns";
      std::this_thread::sleep_for(milliseconds(100));
    }
    release(*other);
    expect_each_counted_once(*a, events);
    for (int n = 0; n < 12; ++n)
      ask(*a, "DELETE", "/v1/models/default/queries/q" + std::to_string(n));
  }
  EXPECT_EQ(a->stop().status, 0);
  expect_recounted();
}

// All of its processes stand still in the middle of what they do, and go on with it later.
TEST_F(FleetLocked, ADatabaseThatStandsStillAsAWholeIsToldInTime) {
  const auto a = serve();
  const json events = lists(*a);
  std::vector<pid_t> stopped{cluster_->pid()};
  std::istringstream pids(
      sql("SELECT string_agg(pid::text, ' ') FROM pg_stat_activity WHERE pid <> pg_backend_pid()"));
  for (pid_t pid = 0; pids >> pid;) stopped.push_back(pid);
  // Its writer waits for a lock with the first of the events when all stops.
  const auto other = locking("dcmrank.impression IN SHARE MODE");
  std::thread first([&] { expect_refused_in_time(*a, "/v1/feedback", events.dump()); });
  EXPECT_TRUE(eventually([&] {
    return sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND "
               "application_name = 'dcmrank'") != "0";
  }));
  for (const pid_t pid : stopped) ::kill(pid, SIGSTOP);
  first.join();
  EXPECT_EQ(status_of(*a, "GET", "/readyz"), 503);
  expect_refused_in_time(*a, "/v1/feedback", events.dump());
  EXPECT_EQ(status_of(*a, "GET", "/readyz"), 503);
  other->signal(SIGKILL);
  other->wait();
  for (const pid_t pid : stopped) ::kill(pid, SIGCONT);
  sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'");
  expect_each_counted_once(*a, events);
  EXPECT_EQ(a->stop().status, 0);
  expect_recounted();
}

// Whoever asks for a query that is not in memory waits; all others are ranked for as before, by the
// same two threads.
TEST_F(FleetLocked, AReadThatIsStuckStopsNobodyElse) {
  const auto a = serve();
  lists(*a);
  const auto other = locking("dcmrank.query IN ACCESS EXCLUSIVE MODE");
  std::atomic<bool> over = false;
  std::vector<std::thread> strangers;
  for (int n = 0; n < 8; ++n) {
    strangers.emplace_back([&, n] {
      HttpClient client(a->address());
      for (int k = 0; !over; ++k) {
        const std::string query = "new" + std::to_string(n) + "-" + std::to_string(k);
        const auto start = steady_clock::now();
        const HttpAnswer answer =
            client.call("POST", "/v1/rank",
                        json{{"query", query}, {"items", {"x", "y"}}, {"id", query}}.dump());
        EXPECT_EQ(answer.status, 200) << answer.body;
        EXPECT_LT(steady_clock::now() - start, kBound);
        // Once the server goes by what it has in memory, it answers at once.
        std::this_thread::sleep_for(milliseconds(20));
      }
    });
  }
  HttpClient client(a->address());
  milliseconds longest{0};
  const auto end = steady_clock::now() + std::chrono::seconds(8);
  int ranked = 0;
  while (steady_clock::now() < end) {
    const auto start = steady_clock::now();
    const std::string query = "q" + std::to_string(ranked++ % 12);
    EXPECT_EQ(client.call("POST", "/v1/rank", json{{"query", query}, {"items", {"x", "y"}}}.dump())
                  .status,
              200);
    longest =
        std::max(longest, std::chrono::duration_cast<milliseconds>(steady_clock::now() - start));
    std::this_thread::sleep_for(milliseconds(20));
  }
  over = true;
  for (std::thread& stranger : strangers) stranger.join();
  EXPECT_LT(longest, milliseconds(2500)) << "it waited with the others";
  EXPECT_GT(ranked, 100);
  release(*other);
  EXPECT_TRUE(eventually([&] { return status_of(*a, "GET", "/readyz") == 200; }));
  EXPECT_EQ(a->stop().status, 0);
  expect_recounted();
}

// Where the query has to be read first, and that read takes its time, too; and where the list was
// ranked before.
TEST_F(FleetLocked, DurableListsAreRefusedInTimeHoweverManyReadsComeFirst) {
  const auto a = serve();
  lists(*a);
  const json known = {{"query", "q"}, {"items", {"x"}}, {"id", "known"}};
  ask(*a, "POST", "/v1/rank", known);
  EXPECT_TRUE(eventually([&] { return status_of(*a, "GET", "/v1/impressions/known") == 200; }));
  const auto other = locking("dcmrank.query IN ACCESS EXCLUSIVE MODE");
  json again = known;
  again["durable"] = true;
  const json fresh = {{"query", "new"}, {"items", {"x"}}, {"durable", true}};
  std::vector<std::thread> callers;
  for (const json& body : {fresh, again}) {
    callers.emplace_back([&, body] {
      const auto start = steady_clock::now();
      const HttpAnswer answer = HttpClient(a->address()).call("POST", "/v1/rank", body.dump());
      EXPECT_TRUE(answer.status == 503 || body == again) << answer.body;
      EXPECT_LT(steady_clock::now() - start, kBound) << body;
    });
  }
  for (std::thread& caller : callers) caller.join();
  // Nobody knows whether another server has made it.
  const HttpAnswer unknown =
      HttpClient(a->address())
          .call("POST", "/v1/rank", R"({"query":"q","items":["x"],"model":"none"})");
  EXPECT_EQ(unknown.status, 503) << unknown.body;
  release(*other);
  EXPECT_TRUE(eventually([&] {
    return HttpClient(a->address())
               .call("POST", "/v1/rank", R"({"query":"q","items":["x"],"model":"none"})")
               .status == 404;
  }));
  EXPECT_EQ(a->stop().status, 0);
}

}  // namespace
}  // namespace dcmrank::testing
