// What may happen to several servers on one PostgreSQL, and to it. KILL_ROUNDS says how often
// something is killed (make fleet-rounds); KILL_SEED when.
#include <future>
#include <iostream>

#include "dcmrank/random/rng.h"
#include "fleet_test.h"
#include "key_hash.h"

namespace dcmrank::testing {
namespace {

using std::chrono::milliseconds;

class FleetFaults : public FleetTest {
 protected:
  void SetUp() override {
    if (!PgCluster::is_installed()) GTEST_SKIP() << "PostgreSQL is not installed";
    cluster_ = std::make_unique<PgCluster>();
    store_ = cluster_->new_database();
  }

  std::unique_ptr<PgCluster> cluster_;
};

// Ranking goes on from memory, feedback is refused, and all resumes by itself.
TEST_F(FleetFaults, GoesOnWithoutItsDatabase) {
  const auto a = serve();
  const json rank = {{"query", "q"}, {"items", {"x", "y"}}};
  const std::string list =
      ask(*a, "POST", "/v1/rank",
          {{"query", "q"}, {"items", {"x", "y"}}, {"durable", true}})["impression"];
  const std::string close = R"({"impression":")" + list + R"(","type":"close"})";
  cluster_->stop(SIGQUIT);
  EXPECT_TRUE(eventually([&] { return status_of(*a, "GET", "/readyz") == 503; }));
  EXPECT_EQ(status_of(*a, "GET", "/healthz"), 200);
  for (int n = 0; n < 20; ++n) EXPECT_EQ(status_of(*a, "POST", "/v1/rank", rank.dump()), 200);
  EXPECT_EQ(status_of(*a, "POST", "/v1/rank", R"({"query":"new","items":["x","y"]})"), 200);
  EXPECT_EQ(status_of(*a, "POST", "/v1/feedback", close), 503);
  cluster_->start();
  EXPECT_TRUE(eventually([&] { return status_of(*a, "GET", "/readyz") == 200; }));
  EXPECT_EQ(ask(*a, "POST", "/v1/feedback", json::parse(close))["results"][0]["status"],
            "accepted");
  EXPECT_EQ(ask(*a, "POST", "/v1/rank", rank)["round"], 2);
  EXPECT_EQ(a->stop().status, 0);
  expect_recounted();
}

// The database commits, and its answer is lost with the connection: as when a standby takes over.
TEST_F(FleetFaults, TellsWhatBecameOfAChangeWhoseAnswerWasLost) {
  const auto a = serve();
  learned_by(*a);
  const std::string state = HttpClient(a->address()).call("GET", "/v1/export").body;
  const auto lose = [&](const std::string& method, const std::string& path, const std::string& body,
                        bool comes_back) {
    cluster_->ask(std::string("ALTER DATABASE d1 ALLOW_CONNECTIONS ") +
                  (comes_back ? "true" : "false"));
    cluster_->hold_commits(true);
    auto answer = std::async(std::launch::async,
                             [&] { return HttpClient(a->address()).call(method, path, body); });
    EXPECT_TRUE(eventually([&] {
      return cluster_->ask(
                 "SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity WHERE "
                 "datname = 'd1' AND query = 'COMMIT' AND wait_event = 'SyncRep'") == "true";
    })) << path;
    if (comes_back) cluster_->hold_commits(false);
    HttpAnswer result = answer.get();
    cluster_->hold_commits(false);
    cluster_->ask("ALTER DATABASE d1 ALLOW_CONNECTIONS true");
    EXPECT_TRUE(eventually([&] { return status_of(*a, "GET", "/readyz") == 200; }));
    return result;
  };
  const auto rounds = [&] {
    const std::string path = "/v1/models/default/queries/q";
    EXPECT_TRUE(eventually([&] { return status_of(*a, "GET", path) == 200; }));
    return ask(*a, "GET", path)["rounds"];
  };
  EXPECT_EQ(lose("POST", "/v1/import", state, true).status, 200);
  EXPECT_EQ(rounds(), 2);
  EXPECT_EQ(lose("PUT", "/v1/models/other", "{}", true).status, 200);
  EXPECT_EQ(lose("DELETE", "/v1/models/other", "", true).status, 200);
  EXPECT_EQ(a->process().err().find("\"outcome\""), std::string::npos) << a->process().err();
  const HttpAnswer unsure = lose("POST", "/v1/import", state, false);
  EXPECT_EQ(unsure.status, 503);
  EXPECT_EQ(unsure.json()["error"]["code"], "unsure");
  EXPECT_NE(unsure.body.find("whether it was done is not known"), std::string::npos) << unsure.body;
  EXPECT_EQ(rounds(), 3);
  EXPECT_EQ(lose("DELETE", "/v1/models/default/queries/q", "", false).status, 503);
  EXPECT_TRUE(
      eventually([&] { return status_of(*a, "GET", "/v1/models/default/queries/q") == 404; }));
  const std::string log = a->process().err();
  for (const std::string act : {"import", "erase_query"}) {
    const std::size_t line = log.rfind("\"act\":\"" + act + "\"");
    ASSERT_NE(line, std::string::npos) << log;
    EXPECT_NE(log.substr(line, log.find('\n', line) - line).find("\"outcome\":\"unknown\""),
              std::string::npos)
        << log;
  }
  EXPECT_EQ(a->stop().status, 0);
  expect_recounted();
}

// A table that is away says nothing about the list at hand: a client that is told "rejected" would
// never send its events again.
TEST_F(FleetFaults, OfATableAreNotTakenForThoseOfARecord) {
  const auto a = serve();
  const std::string list =
      ask(*a, "POST", "/v1/rank",
          {{"query", "q"}, {"items", {"x", "y"}}, {"durable", true}})["impression"];
  const std::string close = R"({"impression":")" + list + R"(","type":"close"})";
  cluster_->ask("ALTER TABLE dcmrank.delta RENAME TO away", "d1");
  EXPECT_EQ(status_of(*a, "POST", "/v1/feedback", close), 503);
  cluster_->ask("ALTER TABLE dcmrank.away RENAME TO delta", "d1");
  EXPECT_TRUE(eventually([&] { return status_of(*a, "POST", "/v1/feedback", close) == 200; }));
  EXPECT_EQ(ask(*a, "POST", "/v1/rank", {{"query", "q"}, {"items", {"x", "y"}}})["round"], 2);
  EXPECT_EQ(a->stop().status, 0);
  expect_recounted();
}

// What the database says names its host and its users.
TEST_F(FleetFaults, ToldToWhoRunsTheServiceAlone) {
  write(folder() / "keys",
        key_line("root", "admin,rank,feedback *") + key_line("tenant", "admin,rank,feedback shop"));
  const auto server = serve("--keys keys");
  HttpClient client(server->address());
  const auto said = [&](const std::string& key, const std::string& method, const std::string& path,
                        const std::string& body) {
    const HttpAnswer answer =
        client.call(method, path, body, key.empty() ? "" : "X-Api-Key: " + key + "\r\n");
    return answer.status == 503 ? answer.json()["error"]["message"].get<std::string>() : "";
  };
  cluster_->stop(SIGQUIT);
  EXPECT_TRUE(eventually([&] { return said("", "GET", "/readyz", "") != ""; }));
  const std::string event = R"({"impression":"none","type":"close","model":"shop"})";
  const std::string kHidden = "the log says why";
  for (const auto& [method, path, body] :
       std::vector<std::array<std::string, 3>>{{"GET", "/readyz", ""},
                                               {"POST", "/v1/feedback", event},
                                               {"PUT", "/v1/models/shop", "{}"}}) {
    const std::string root = said("root", method, path, body);
    EXPECT_NE(root, "") << path;
    EXPECT_EQ(root.find(kHidden), std::string::npos) << root;
    const std::string tenant = said("tenant", method, path, body);
    EXPECT_TRUE(tenant.ends_with(kHidden)) << path << ": " << tenant;
  }
}

// Servers, backends and the database itself are killed while users go on.
TEST_F(FleetFaults, CountsExactlyOnceWhateverIsKilled) {
  const std::uint64_t rounds = from_environment("KILL_ROUNDS", 3);
  Rng rng(from_environment("KILL_SEED", 1));
  std::string one;
  std::string two;
  auto a = serve_at(one);
  auto b = serve_at(two);
  std::uint64_t pages = 0;
  std::uint64_t accepted = 0;
  std::uint64_t lost = 0;
  std::uint64_t broken = 0;
  for (std::uint64_t round = 1; round <= rounds; ++round) {
    Process users = running(kUsers + urls({one, two}) + "--rate 200 --duration 1500ms --seed " +
                            std::to_string(round));
    std::this_thread::sleep_for(milliseconds(100 + rng.below(1400)));
    switch ((round - 1) % 4) {
      case 0:
        a->stop(SIGKILL);
        a = serve_at(one);
        break;
      case 1:  // the database, with all that it had not written yet
        cluster_->stop(SIGKILL);
        std::this_thread::sleep_for(milliseconds(200));
        cluster_->start();
        break;
      case 2:  // connections are cut in the middle of transactions
        for (int n = 0; n < 5; ++n) {
          cluster_->ask(
              "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE "
              "application_name = 'dcmrank'");
          std::this_thread::sleep_for(milliseconds(50));
        }
        break;
      default:
        b->stop(SIGKILL);
        b = serve_at(two);
    }
    const Outcome outcome = users.wait();
    ASSERT_EQ(outcome.status, 0) << "round " << round << "\n" << outcome.out << outcome.err;
    const json now = result();
    pages += now["pages"].get<std::uint64_t>();
    accepted += now["events"]["accepted"].get<std::uint64_t>();
    lost += now["lost"].get<std::uint64_t>();
    broken += now["broken"].get<std::uint64_t>();
    if (round % 10 == 0) expect_recounted();
  }
  EXPECT_EQ(a->stop().status, 0);
  EXPECT_EQ(b->stop().status, 0);
  expect_recounted();
  std::cout << rounds << " times killed: " << pages << " pages, " << accepted
            << " events accepted, " << lost << " pages lost before they were stored, " << broken
            << " calls without an answer\n";
}

// Lists close by the clock of the database, whatever those of the servers say.
TEST_F(FleetFaults, GoesByOneClockThoughThoseOfTheServersAreHoursApart) {
  const auto wrong = [&](const char* ahead) {
    return serve("",
                 {"env", std::string("LD_PRELOAD=") + places::kFailingDisk,
                  "ASAN_OPTIONS=verify_asan_link_order=0", std::string("CLOCK_AHEAD=") + ahead});
  };
  const auto a = wrong("7200");
  const auto b = wrong("-7200");
  const std::string list =
      ask(*a, "POST", "/v1/rank",
          {{"query", "q"}, {"items", {"x", "y"}}, {"durable", true}})["impression"];
  Process users = running(kUsers + urls({a->address(), b->address()}) + "--rate 100 --duration 2s");
  const Outcome outcome = users.wait();
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  for (const Server* server : {a.get(), b.get()}) {
    EXPECT_EQ(ask(*server, "GET", "/v1/impressions/" + list)["state"], "open");
  }
  EXPECT_EQ(a->stop().status, 0);
  EXPECT_EQ(b->stop().status, 0);
  expect_recounted();
}

// A server that stands still for longer than any timeout holds nobody up, and what it had in hand
// counts once, if at all.
TEST_F(FleetFaults, GoesOnWhileAServerIsFrozen) {
  std::string one;
  std::string two;
  const auto a = serve_at(one);
  const auto b = serve_at(two);
  Process users = running(kUsers + urls({one, two}) + "--rate 100 --duration 9s");
  std::this_thread::sleep_for(milliseconds(1500));
  a->process().signal(SIGSTOP);
  for (int n = 0; n < 20; ++n) {
    EXPECT_EQ(status_of(*b, "POST", "/v1/rank", R"({"query":"q","items":["x","y"]})"), 200);
  }
  std::this_thread::sleep_for(milliseconds(6500));  // idle transactions end after 5 s
  a->process().signal(SIGCONT);
  const Outcome outcome = users.wait();
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  expect_recounted();
}

// The primary dies under load, its synchronous standby takes over: nothing that was acknowledged is
// lost.
TEST_F(FleetFaults, LosesNothingWhenTheStandbyTakesOver) {
  PgCluster standby(*cluster_, "standby");
  // Only now: nothing is committed while a synchronous standby is missing.
  cluster_->ask("ALTER SYSTEM SET synchronous_standby_names = 'standby'");
  cluster_->ask("SELECT pg_reload_conf()");
  EXPECT_TRUE(eventually([&] {
    return cluster_->ask("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") ==
           "1";
  }));
  store_ = "postgresql://dcmrank@/d1?host=" + cluster_->folder().string() + "," +
           standby.folder().string() + "&target_session_attrs=read-write";
  std::string one;
  std::string two;
  const auto a = serve_at(one);
  const auto b = serve_at(two);
  Process users = running(kUsers + urls({one, two}) + "--rate 200 --duration 6s");
  std::this_thread::sleep_for(milliseconds(2500));
  cluster_->stop(SIGKILL);
  standby.promote();
  EXPECT_TRUE(eventually([&] { return status_of(*a, "GET", "/readyz") == 200; }));
  const Outcome outcome = users.wait();
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_GT(result()["broken"].get<int>() + result()["statuses"].value("503", 0), 0);
  expect_recounted();
}

// All of its processes stand still: connections are made and nothing answers. What is in memory is
// ranked at once, also under an id of the caller's own, which nobody can look up.
TEST_F(FleetFaults, DoesNotWaitForIdsOfADatabaseThatStandsStill) {
  const auto a = serve();
  const auto list_of = [](const std::string& id) {
    return json{{"query", "q"}, {"items", {"x", "y"}}, {"id", id}};
  };
  json early = list_of("early");
  early["durable"] = true;
  const json first = ask(*a, "POST", "/v1/rank", early);
  const auto processes = cluster_->processes();
  for (const pid_t pid : processes) ::kill(pid, SIGSTOP);
  std::this_thread::sleep_for(milliseconds(2500));
  constexpr int kLists = 7;  // until after the writer has given up, and tries again
  for (int n = 0; n < kLists; ++n) {
    const auto start = std::chrono::steady_clock::now();
    const std::string id = "id-" + std::to_string(n);
    const json once = ask(*a, "POST", "/v1/rank", list_of(id));
    EXPECT_EQ(ask(*a, "POST", "/v1/rank", list_of(id)), once);
    EXPECT_LT(std::chrono::steady_clock::now() - start, milliseconds(1000)) << n;
    json other = list_of(id);
    other["items"] = {"x", "z"};
    EXPECT_EQ(status_of(*a, "POST", "/v1/rank", other.dump()), 409);
    std::this_thread::sleep_for(milliseconds(1500));
  }
  // Nobody knows now that it has been used: its list is not kept.
  json taken = list_of("early");
  taken["items"] = {"y", "z"};
  EXPECT_EQ(status_of(*a, "POST", "/v1/rank", taken.dump()), 200);
  for (const pid_t pid : processes) ::kill(pid, SIGCONT);
  EXPECT_TRUE(eventually([&] {
    const HttpAnswer answer = HttpClient(a->address()).call("POST", "/v1/rank", early.dump());
    return answer.status == 200 && answer.json() == first;
  }));
  EXPECT_EQ(status_of(*a, "POST", "/v1/rank", taken.dump()), 409);
  for (int n = 0; n < kLists; ++n) {
    const std::string id = "id-" + std::to_string(n);
    const json end = {{"impression", id}, {"type", "close"}};
    EXPECT_TRUE(eventually([&] {
      return status_of(*a, "POST", "/v1/feedback", end.dump()) == 200 &&
             ask(*a, "GET", "/v1/models/default/queries/q")["rounds"] >= n + 1;
    }));
  }
  EXPECT_EQ(a->stop().status, 0);
  expect_recounted();
}

}  // namespace
}  // namespace dcmrank::testing
