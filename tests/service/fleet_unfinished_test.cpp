// What a server on PostgreSQL leaves when it is stopped halfway, and what becomes of that.
#include "fleet_test.h"

namespace dcmrank::testing {
namespace {

class FleetUnfinished : public FleetTest {
 protected:
  void SetUp() override {
    if (!PgCluster::is_installed()) GTEST_SKIP() << "PostgreSQL is not installed";
    store_ = PgCluster::shared().new_database();
  }
  std::string sql(const std::string& text) const {
    const std::size_t start = store_.find("@/") + 2;
    return PgCluster::shared().ask(
        "SET search_path = dcmrank; SET client_min_messages = error; " + text,
        store_.substr(start, store_.find('?') - start));
  }
  static json mine(bool durable, const std::string& query = "q") {
    return {{"query", query}, {"items", {"x", "y"}}, {"id", "mine"}, {"durable", durable}};
  }
  // The id of a list is stored, and the list is not: its transaction was cancelled.
  void leave_a_name(const Server& server, const std::string& age,
                    const std::string& then = "1") const {
    sql("CREATE FUNCTION cancelled() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION "
        "''canceling statement due to user request'' USING ERRCODE = ''57014''; END'; "
        "CREATE TRIGGER cancelled BEFORE INSERT ON impression EXECUTE FUNCTION cancelled()");
    EXPECT_EQ(status_of(server, "POST", "/v1/rank", mine(true).dump()), 503);
    sql("DROP FUNCTION cancelled CASCADE");
    EXPECT_EQ(names(), then);
    sql("UPDATE named SET at = at - interval '" + age + "'");
  }
  std::string names() const { return sql("SELECT count(*) FROM named"); }
  double dropped(const Server& server) const {
    std::istringstream lines(HttpClient(server.address()).call("GET", "/metrics").body);
    const std::string name = "dcmrank_impressions_dropped_total{reason=\"not_kept\"} ";
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with(name)) return std::stod(line.substr(name.size()));
    }
    return -1;
  }
};

TEST_F(FleetUnfinished, AnIdWhoseListWasNeverStoredIsFreeAgain) {
  const auto a = serve();
  leave_a_name(*a, "0 s");
  EXPECT_EQ(status_of(*a, "POST", "/v1/rank", mine(true).dump()), 503) << "it may be on its way";
  sql("UPDATE named SET at = at - interval '1 minute'");
  const json answer = ask(*a, "POST", "/v1/rank", mine(true));
  EXPECT_EQ(ask(*a, "POST", "/v1/rank", mine(true)), answer);
  EXPECT_EQ(
      ask(*a, "POST", "/v1/feedback", {{"impression", "mine"}, {"type", "close"}})["accepted"], 1);
  EXPECT_EQ(a->stop().status, 0);
  expect_recounted();
}

// An answer for which there is no list is not given to those either who do not wait for it.
TEST_F(FleetUnfinished, AnAnswerWithoutAListIsNotGiven) {
  const auto a = serve();
  leave_a_name(*a, "1 minute");
  ask(*a, "POST", "/v1/rank", mine(false));
  EXPECT_TRUE(eventually([&] { return status_of(*a, "GET", "/v1/impressions/mine") == 200; }));
}

TEST_F(FleetUnfinished, VerifyNamesIdsWithoutLists) {
  const auto a = serve();
  leave_a_name(*a, "0 s");
  sql("UPDATE named SET at = at + interval '1 hour'");
  Outcome outcome = dcmrank("verify " + store());
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("'mine'"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("on its way"), std::string::npos) << outcome.out;
  a->stop(SIGKILL);
  sql("UPDATE named SET at = at - interval '2 hours'");
  outcome = dcmrank("verify " + store() + " --json report.json");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("a server that runs removes it"), std::string::npos) << outcome.out;
  EXPECT_EQ(json::parse(read(folder() / "report.json"))["unfinished"], 1);
}

TEST_F(FleetUnfinished, IdsThatLeadNowhereGo) {
  const auto a = serve();
  ask(*a, "POST", "/v1/rank",
      {{"query", "q"}, {"items", {"x", "y"}}, {"id", "stays"}, {"durable", true}});
  sql("UPDATE named SET at = at - interval '1 day'");
  leave_a_name(*a, "1 minute", "2");
  EXPECT_TRUE(eventually([&] { return names() == "1"; }));
  EXPECT_EQ(sql("SELECT convert_from(id, 'UTF8') FROM named"), "stays");
}

// What is erased is gone with the answers that were stored for lists that never were.
TEST_F(FleetUnfinished, ErasureTakesAnswersWithoutLists) {
  for (const std::string path : {"/v1/models/default/queries/q", "/v1/models/default"}) {
    const auto a = serve();
    ask(*a, "POST", "/v1/rank", {{"query", "q"}, {"items", {"x", "y"}}, {"durable", true}});
    leave_a_name(*a, "9 s");
    ask(*a, "DELETE", path);
    EXPECT_TRUE(
        eventually([&] { return a->process().err().find("\"vacuumed\"") != std::string::npos; }));
    EXPECT_EQ(names(), "0") << path;
    if (path == "/v1/models/default") ask(*a, "PUT", "/v1/models/default", json::object());
    ask(*a, "POST", "/v1/rank", mine(true, "another"));
    EXPECT_EQ(a->stop().status, 0);
    expect_recounted();
    store_ = PgCluster::shared().new_database();
  }
}

// Ranked by what another server has erased a moment before: not kept, and counted.
TEST_F(FleetUnfinished, ListsThatAreNotKeptAfterAnErasureAreCounted) {
  const auto a = serve();
  const auto b = serve();
  learned_by(*a);
  const json rank = {{"query", "q"}, {"items", {"x", "y"}}};
  ask(*b, "POST", "/v1/rank", rank);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  ask(*a, "DELETE", "/v1/models/default/queries/q");
  std::vector<std::string> lists;
  for (int n = 0; n < 20; ++n) {
    lists.push_back(ask(*b, "POST", "/v1/rank", rank)["impression"]);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  const auto there = [&] {
    int count = 0;
    for (const std::string& list : lists) {
      count += status_of(*b, "GET", "/v1/impressions/" + list) == 200 ? 1 : 0;
    }
    return count;
  };
  EXPECT_TRUE(eventually([&] { return there() + dropped(*b) == 20; }))
      << there() << " " << dropped(*b);
  EXPECT_GT(dropped(*b), 0);
  EXPECT_GT(there(), 0);
}

class FleetMigration : public FleetUnfinished {
 protected:
  void SetUp() override {
    FleetUnfinished::SetUp();
    if (IsSkipped()) return;
    Server server(folder(), "--data data");
    for (int n = 0; n < 10; ++n) {
      const json list = ask(server, "POST", "/v1/rank",
                            {{"query", "q" + std::to_string(n)},
                             {"items", {"x", "y"}},
                             {"id", "i" + std::to_string(n)},
                             {"durable", true}});
      ask(server, "POST", "/v1/feedback", {{"impression", list["impression"]}, {"type", "close"}});
    }
    EXPECT_EQ(server.stop().status, 0);
    // Tables, and nothing in them yet.
    ASSERT_EQ(serve()->stop().status, 0);
    sql("TRUNCATE model, start");
  }
  // The migration comes to the eighth query, and not beyond.
  void let_it_end_by(const std::string& statement) const {
    sql("CREATE FUNCTION here() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN IF NEW.name = "
        "''q7''::bytea "
        "THEN " +
        statement +
        " END IF; RETURN NEW; END'; CREATE TRIGGER here BEFORE INSERT ON query FOR EACH ROW "
        "EXECUTE FUNCTION here()");
  }
  void expect_nothing_moved() {
    for (const char* table :
         {"model", "query", "item", "delta", "impression", "event", "named", "start"}) {
      EXPECT_EQ(sql(std::string("SELECT count(*) FROM ") + table), "0") << table;
    }
    expect_recounted();
  }
  void expect_moved_now() {
    const Outcome moved = dcmrank("migrate --from data " + store());
    EXPECT_EQ(moved.status, 0) << moved.err;
    EXPECT_EQ(moved.out, "1 model, 10 queries, 10 impressions, 0 events\n");
    expect_recounted();
    EXPECT_EQ(sql("SELECT count(*) FROM impression"), "10");
  }
};

TEST_F(FleetMigration, ThatFailsMovesNothingAndIsDoneAgain) {
  let_it_end_by("RAISE EXCEPTION ''no space left on device'' USING ERRCODE = ''53100'';");
  const Outcome outcome = dcmrank("migrate --from data " + store());
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("no space left on device"), std::string::npos) << outcome.err;
  sql("DROP FUNCTION here CASCADE");
  expect_nothing_moved();
  expect_moved_now();
}

TEST_F(FleetMigration, SaysWhatItLeavesBehind) {
  {
    Server server(folder(), "--data data --hold 1h");
    ask(server, "POST", "/v1/feedback",
        {{"impression", "later"}, {"type", "click"}, {"item", "x"}, {"id", "e"}});
    EXPECT_EQ(server.stop().status, 0);
  }
  const Outcome moved = dcmrank("migrate --from data " + store());
  EXPECT_EQ(moved.status, 0);
  EXPECT_NE(moved.err.find("1 event waiting for an impression not shown yet was left behind"),
            std::string::npos)
      << moved.err;
}

TEST_F(FleetMigration, ThatIsKilledMovesNothingAndIsDoneAgain) {
  let_it_end_by("PERFORM pg_sleep(600);");
  Process migrate = running("migrate --from data " + store());
  const auto sleeping = [&] {
    return sql(
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event = "
        "'PgSleep'");
  };
  EXPECT_TRUE(eventually([&] { return !sleeping().empty(); }));
  const Outcome second = dcmrank("migrate --from data " + store());
  EXPECT_EQ(second.status, 2);
  EXPECT_NE(second.err.find("--from data: "), std::string::npos) << second.err;
  migrate.signal(SIGKILL);
  migrate.wait();
  EXPECT_TRUE(eventually([&] { return sleeping().empty(); })) << "it is noticed";
  sql("DROP FUNCTION here CASCADE");
  expect_nothing_moved();
  expect_moved_now();
}

// What was interrupted does not count as a start: the model `default` is made by the first server.
TEST_F(FleetMigration, ThatFailsLeavesADatabaseThatIsNew) {
  let_it_end_by("RAISE EXCEPTION ''no'' USING ERRCODE = ''53100'';");
  EXPECT_EQ(dcmrank("migrate --from data " + store()).status, 1);
  sql("DROP FUNCTION here CASCADE");
  learned_by(*serve());
}

}  // namespace
}  // namespace dcmrank::testing
