// A PostgreSQL that is there and cannot be used: each time one line says why, and nobody hangs.
#include <algorithm>
#include <cctype>
#include <fstream>

#include "dcmrank/random/rng.h"
#include "fleet_test.h"

namespace dcmrank::testing {
namespace {

class FleetTrouble : public FleetTest {
 protected:
  void SetUp() override {
    if (!PgCluster::is_installed()) GTEST_SKIP() << "PostgreSQL is not installed";
    store_ = PgCluster::shared().new_database();
    name_ = store_.substr(store_.find("@/") + 2);
    name_.resize(name_.find('?'));
  }
  static void admin(const std::string& sql) { PgCluster::shared().ask(sql); }
  std::string as(const std::string& user) const {
    std::string uri = store_;
    return uri.replace(uri.find("dcmrank@"), 7, user);
  }
  // Neither a server nor a recount starts, and both say why in one line.
  void expect_refused(const std::string& uri, const std::string& why) {
    for (const std::string command : {"serve --listen 127.0.0.1:0", "verify"}) {
      const Outcome outcome = dcmrank(command + " --store " + uri);
      EXPECT_NE(outcome.status, 0) << command;
      EXPECT_NE(outcome.err.find(why), std::string::npos) << command << ": " << outcome.err;
      EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
      EXPECT_EQ(outcome.err.find("secret"), std::string::npos) << outcome.err;
    }
  }
  void end_connections() {
    admin("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + name_ +
          "' AND application_name = 'dcmrank'");
  }
  static json list_of(const std::string& query) {
    return {{"query", query}, {"items", {"x", "y"}}, {"durable", true}};
  }
  static std::string close_of(const json& list) {
    return json{{"impression", list["impression"]}, {"type", "close"}}.dump();
  }

  std::string name_;
};

TEST_F(FleetTrouble, AWrongPasswordIsSaidWithoutIt) {
  PgCluster cluster;
  cluster.ask("CREATE ROLE app LOGIN PASSWORD 'right'");
  const std::string rules = read(cluster.folder() / "data/pg_hba.conf");
  std::ofstream(cluster.folder() / "data/pg_hba.conf") << "local all app scram-sha-256\n" << rules;
  cluster.ask("SELECT pg_reload_conf()");
  store_ = cluster.new_database();
  // The rules hold as soon as the server has read them.
  EXPECT_TRUE(eventually([&] {
    return dcmrank("verify --store " + as("app:secret")).err.find("password authentication") !=
           std::string::npos;
  }));
  expect_refused(as("app:secret"), "password authentication failed for user");
}

TEST_F(FleetTrouble, MissingRightsAreSaid) {
  admin("CREATE ROLE nobody_" + name_ + " LOGIN");
  const Outcome outcome = dcmrank("serve --listen 127.0.0.1:0 --store " + as("nobody_" + name_));
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("permission denied for database"), std::string::npos) << outcome.err;
  EXPECT_EQ(serve()->stop().status, 0);
  expect_refused(as("nobody_" + name_), "permission denied for");
  admin("DROP ROLE nobody_" + name_);
}

TEST_F(FleetTrouble, TooManyConnectionsAreSaid) {
  admin("CREATE ROLE few_" + name_ + " LOGIN CONNECTION LIMIT 0");
  expect_refused(as("few_" + name_), "too many connections for role");
  admin("DROP ROLE few_" + name_);
}

TEST_F(FleetTrouble, ADatabaseThatDoesNotExistOrAHostThatNobodyListensOnIsSaid) {
  std::string uri = store_;
  expect_refused(uri.replace(uri.find(name_), name_.size(), "none"), "\"none\" does not exist");
  expect_refused("postgresql://dcmrank@/d?host=" + folder().string(), "No such file or directory");
}

TEST_F(FleetTrouble, TablesWithoutALayoutAreSaidAndLeftAlone) {
  EXPECT_EQ(serve()->stop().status, 0);
  const auto sql = [&](const std::string& text) { return PgCluster::shared().ask(text, name_); };
  for (const std::string change : {"UPDATE dcmrank.meta SET value = 0 WHERE name = 'layout'",
                                   "DELETE FROM dcmrank.meta WHERE name = 'layout'"}) {
    sql(change);
    expect_refused(store_, "without a layout version");
  }
  sql("DROP TABLE dcmrank.meta");
  expect_refused(store_, "not dcmrank.meta");
  EXPECT_EQ(sql("SELECT count(*) FROM dcmrank.model"), "1");
}

// What its indexes cannot hold would be taken, and then never be summed up.
TEST_F(FleetTrouble, IdsThatPostgresqlCannotKeepAreRefusedAtTheStart) {
  for (const std::string check : {"", " --check"}) {
    const Outcome outcome = dcmrank("serve --listen 127.0.0.1:0 --max-id 2601 " + store() + check);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.err.find("--max-id 2601: "), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("at most 2600 bytes"), std::string::npos) << outcome.err;
  }
}

// Of texts that do not shrink when they are compressed: whatever there is of such a length is kept
// and summed up.
TEST_F(FleetTrouble, TheLongestIdsAreKeptAndSummedUp) {
  const auto a = serve("--max-id 2600");
  Rng rng(1);
  const auto text = [&] {
    std::string id;
    while (id.size() < 2600) {
      const auto digit = static_cast<char>('0' + rng.below(75));
      if (std::isalnum(static_cast<unsigned char>(digit)) != 0) id += digit;
    }
    return id;
  };
  const std::string query = text();
  const json items{text(), text()};
  for (int n = 0; n < 70; ++n) {
    const std::string id = text();
    ask(*a, "POST", "/v1/rank",
        {{"query", query}, {"items", items}, {"id", id}, {"durable", true}});
    const json click{{"impression", id}, {"type", "click"}, {"item", items[0]}, {"id", text()}};
    const json events = json::array({click, {{"impression", id}, {"type", "close"}}});
    EXPECT_EQ(ask(*a, "POST", "/v1/feedback", events)["accepted"], 2);
  }
  ask(*a, "POST", "/v1/feedback",
      {{"impression", text()}, {"type", "click"}, {"item", items[0]}, {"id", text()}});  // is held
  ask(*a, "PUT", "/v1/models/" + text(), json::object());
  const auto sql = [&](const std::string& what) { return PgCluster::shared().ask(what, name_); };
  EXPECT_TRUE(eventually([&] { return sql("SELECT count(*) < 40 FROM dcmrank.delta") == "t"; }));
  EXPECT_EQ(sql("SELECT sum(rounds) > 30 FROM dcmrank.query"), "t");
  EXPECT_EQ(a->stop().status, 0);
  expect_recounted();
}

// As a standby is: what is known is ranked with, nothing is taken, all resumes by itself.
TEST_F(FleetTrouble, ADatabaseThatTakesNoWritesIsOutlived) {
  const auto a = serve();
  const json list = ask(*a, "POST", "/v1/rank", list_of("q"));
  admin("ALTER DATABASE " + name_ + " SET default_transaction_read_only = on");
  end_connections();
  EXPECT_TRUE(
      eventually([&] { return status_of(*a, "POST", "/v1/feedback", close_of(list)) == 503; }));
  EXPECT_EQ(status_of(*a, "GET", "/readyz"), 503);
  for (int n = 0; n < 20; ++n) {
    EXPECT_EQ(status_of(*a, "POST", "/v1/rank", R"({"query":"q","items":["x","y"]})"), 200);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_EQ(status_of(*a, "GET", "/readyz"), 503) << "it does not take turns";
  }
  const Outcome second = dcmrank("serve --listen 127.0.0.1:0 " + store());
  EXPECT_NE(second.status, 0);
  EXPECT_NE(second.err.find("read-only"), std::string::npos) << second.err;
  admin("ALTER DATABASE " + name_ + " RESET default_transaction_read_only");
  end_connections();
  EXPECT_TRUE(eventually([&] { return status_of(*a, "GET", "/readyz") == 200; }));
  EXPECT_EQ(ask(*a, "POST", "/v1/feedback", json::parse(close_of(list)))["accepted"], 1);
  EXPECT_EQ(a->stop().status, 0);
  expect_recounted();
}

// A standby, while no primary is to be had.
TEST_F(FleetTrouble, AStandbyIsRefusedInOneLine) {
  PgCluster primary;
  store_ = primary.new_database();
  EXPECT_EQ(serve()->stop().status, 0);
  PgCluster standby(primary, "standby");
  const std::string here = "postgresql://dcmrank@/d1?host=" + standby.folder().string();
  const Outcome refused = dcmrank("serve --listen 127.0.0.1:0 --store " + here);
  EXPECT_NE(refused.status, 0);
  EXPECT_NE(refused.err.find("read-only"), std::string::npos) << refused.err;
  EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
  EXPECT_EQ(dcmrank("verify --store " + here).status, 0) << "nothing keeps a recount from it";
  const Outcome asked =
      dcmrank("serve --listen 127.0.0.1:0 --store " + here + "&target_session_attrs=read-write");
  EXPECT_NE(asked.status, 0);
  EXPECT_NE(asked.err.find("read-only"), std::string::npos) << asked.err;
}

TEST_F(FleetTrouble, AnExportOfADatabaseThatIsAwayIsAnError) {
  const auto a = serve();
  learned_by(*a);
  EXPECT_EQ(status_of(*a, "GET", "/v1/export"), 200);
  admin("ALTER DATABASE " + name_ + " ALLOW_CONNECTIONS false");
  end_connections();
  EXPECT_EQ(status_of(*a, "GET", "/v1/export"), 503);
  admin("ALTER DATABASE " + name_ + " ALLOW_CONNECTIONS true");
  EXPECT_TRUE(eventually([&] { return status_of(*a, "GET", "/v1/export") == 200; }));
  EXPECT_EQ(a->stop().status, 0);
}

TEST_F(FleetTrouble, WhatWasNeverErasedIsNotCalledUnwiped) {
  const auto a = serve();
  learned_by(*a);
  admin("ALTER DATABASE " + name_ + " ALLOW_CONNECTIONS false");
  end_connections();
  const Outcome outcome = a->stop();
  EXPECT_EQ(outcome.err.find("not_vacuumed"), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find("not_wiped"), std::string::npos) << outcome.err;
  const std::size_t stopped = outcome.err.find("\"stopped\"");
  EXPECT_EQ(outcome.err.find('\n', stopped), outcome.err.size() - 1) << outcome.err;
  admin("ALTER DATABASE " + name_ + " ALLOW_CONNECTIONS true");
}

// Its connections are there, and no answer comes: feedback is refused, lists are ranked all the
// same.
TEST_F(FleetTrouble, ADatabaseThatStandsStillIsOutlived) {
  const auto a = serve();
  const json list = ask(*a, "POST", "/v1/rank", list_of("q"));
  std::istringstream pids(PgCluster::shared().ask(
      "SELECT string_agg(pid::text, ' ') FROM pg_stat_activity WHERE datname = '" + name_ +
      "' AND application_name = 'dcmrank'"));
  std::vector<pid_t> stopped;
  for (pid_t pid = 0; pids >> pid;) stopped.push_back(pid);
  EXPECT_FALSE(stopped.empty());
  for (const pid_t pid : stopped) ::kill(pid, SIGSTOP);
  EXPECT_EQ(status_of(*a, "POST", "/v1/feedback", close_of(list)), 503);
  EXPECT_EQ(status_of(*a, "POST", "/v1/rank", R"({"query":"q","items":["x","y"]})"), 200);
  EXPECT_EQ(status_of(*a, "POST", "/v1/rank", R"({"query":"new","items":["x","y"]})"), 200);
  EXPECT_TRUE(eventually([&] { return status_of(*a, "GET", "/readyz") == 200; }));
  for (const pid_t pid : stopped) ::kill(pid, SIGCONT);
  EXPECT_TRUE(eventually([&] {
    const HttpAnswer answer = HttpClient(a->address()).call("POST", "/v1/feedback", close_of(list));
    return answer.status == 200;
  }));
  EXPECT_EQ(a->stop().status, 0);
  expect_recounted();
}

}  // namespace
}  // namespace dcmrank::testing
