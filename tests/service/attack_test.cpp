// What an attack from outside found, each with its brothers: large bodies, another process on the
// same file, damaged rows, sums without end, foreign web pages.
#include <filesystem>

#include <fmt/format.h>
#include <sys/stat.h>

#include "service_test.h"

namespace dcmrank::testing {
namespace {

class Attack : public ServiceTest {
 protected:
  // Another process opens the database, does this, and closes it.
  std::string elsewhere(const std::string& sql) {
    if (over_postgres()) return in_postgres(sql);
    const std::string script =
        "import sqlite3, sys\n"
        "base = sqlite3.connect('data/dcmrank.db', timeout=20)\n"
        "print(base.execute(sys.argv[1]).fetchall())\n"
        "base.commit()\n"
        "base.close()\n";
    Process process({"python3", "-c", script, sql}, folder());
    const Outcome outcome = process.wait();
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.out;
  }
  // The query `bad`, in its rows; bytes that nothing is encoded as.
  static std::string bad() {
    return "(SELECT " + std::string(over_postgres() ? "key" : "id") +
           " FROM query WHERE name = 'bad')";
  }
  static std::string nonsense() { return over_postgres() ? "'\\xff'" : "x'ff'"; }
  // Where what was learned stands: PostgreSQL sums it up later.
  static std::string damaged_sums() {
    return over_postgres() ? "UPDATE delta SET sums = '\\xff' WHERE query = " + bad()
                           : "UPDATE item SET state = x'ff' WHERE query = " + bad();
  }
};

class AttackOnFiles : public SqliteTest {
 protected:
  ino_t file_number(const std::string& name) const {
    struct stat found {};
    return stat((folder() / "data" / name).c_str(), &found) == 0 ? found.st_ino : 0;
  }
  std::string rounds() {
    Process process({"python3", "-c",
                     "import sqlite3\n"
                     "base = sqlite3.connect('data/dcmrank.db', timeout=20)\n"
                     "print(base.execute('SELECT rounds FROM query').fetchall())\n"
                     "base.close()\n"},
                    folder());
    return process.wait().out;
  }
};

TEST_F(Attack, ByLargeBodiesOfEverySizeLeavesTheirThreadAsItWas) {
  start("--threads 1");
  for (std::size_t round = 0; round < 60; ++round) {
    json items = json::array();
    for (std::size_t n = 0; n < 100 + 900 * (round % 7) / 6; ++n) {
      items.push_back(fmt::format("6ba7b810-9dad-11d1-80b4-{:012}", n * 7 + round));
    }
    const std::string body = json{{"query", "q"}, {"items", items}}.dump();
    ASSERT_EQ(status("POST", "/v1/rank", body), 200) << "request " << round;
    std::string lines;
    for (std::size_t n = 0; n < 100 * (round % 5); ++n) lines += click("none", "a").dump() + "\n";
    if (!lines.empty()) {
      ASSERT_EQ(status("POST", "/v1/feedback", lines), 200) << "request " << round;
    }
  }
}

// SQLite's locks are those of the process: whoever opens and closes the file beside it drops them,
// and the next reader from outside takes the log for one that nobody uses.
TEST_F(AttackOnFiles, ByAnotherReaderLosesNoClick) {
  start();
  learn("q");
  const ino_t log = file_number("dcmrank.db-wal");
  ASSERT_NE(log, 0U);
  for (int round = 2; round <= 4; ++round) {
    EXPECT_EQ(rounds(), fmt::format("[({},)]\n", round - 1));
    EXPECT_EQ(file_number("dcmrank.db-wal"), log) << round;
    learn("q");
    EXPECT_EQ(dcmrank("backup --data data --out copy" + std::to_string(round)).status, 0);
  }
  stop(SIGKILL);
  start();
  EXPECT_EQ(query("q")["rounds"], 4);
  stop();
  expect_verified();
}

// A read that fails halfway must not stay open: the next one of its thread would see the past, and
// what is learned on top of that would be stored.
TEST_F(Attack, ByADamagedRowDoesNotKeepItsThreadInThePast) {
  start();
  learn("bad");
  learn("good");
  stop();
  elsewhere(damaged_sums());
  start("--threads 1 --cache 64000");
  const std::string before = rank("good", {"a", "b"});
  std::vector<std::string> others;
  for (int n = 0; n < 300; ++n) others.push_back(rank("other" + std::to_string(n), {"a"}));
  // A list is better than none, and events of it are not to be sent again for ever.
  const std::string unknown = rank("bad", {"a", "b"});
  EXPECT_EQ(call("POST", "/v1/feedback", json::array({close(unknown), close(before)}).dump())
                .json()["results"][0]["status"],
            "rejected");
  EXPECT_EQ(get("/v1/impressions/" + before)["state"], "closed");  // which came with it
  for (const std::string& other : others)
    EXPECT_EQ(report(close(other)), "accepted");  // good must go
  EXPECT_EQ(post("/v1/rank", {{"query", "good"}, {"items", {"a", "b"}}})["round"], 3);
  learn("good");
  EXPECT_EQ(query("good")["rounds"], 3);
  restart();
  EXPECT_EQ(query("good")["rounds"], 3);
}

TEST_F(Attack, ByDamageOfAnyRowStopsNobodyElse) {
  const std::string page = "(SELECT max(number) FROM impression WHERE query = " + bad() + ")";
  const std::string none = over_postgres() ? "'\\x99'" : "99";
  const std::string where = over_postgres() ? "key" : "id";
  for (const std::string& damage :
       {"UPDATE impression SET page = " + nonsense() + " WHERE number = " + page,
        "UPDATE impression SET contribution = " + nonsense() + ", state = 1 WHERE number = " + page,
        "UPDATE impression SET events = " + nonsense() + " WHERE number = " + page,
        "UPDATE impression SET model = 99 WHERE number = " + page,
        "UPDATE impression SET query = " + none + " WHERE number = " + page, damaged_sums(),
        "UPDATE query SET positions = " + nonsense() + " WHERE " + where + " = " + bad(),
        "UPDATE query SET base_positions = " + nonsense() + " WHERE " + where + " = " + bad()}) {
    forget_all();
    start();
    learn("bad");
    put("/v1/models/default", {{"close_after", "300ms"}});
    rank("bad", {"a", "b"});
    stop();
    elsewhere(damage);
    start("--keep 1ms --correct-for 1ms");
    rank("good", {"a", "b"});
    const std::string path = "/v1/models/default/queries/good";
    EXPECT_TRUE(eventually([&] {
      const HttpAnswer answer = HttpClient(address()).call("GET", path);
      return answer.status == 200 && answer.json()["rounds"] == 1;
    })) << damage;
    EXPECT_TRUE(eventually([&] { return status("GET", "/readyz", "") == 200; })) << damage;
    learn("good");
    EXPECT_EQ(stop().status, 0) << damage;
  }
}

TEST_F(Attack, BySumsWithoutEndGivesTheirSum) {
  start();
  const std::string most = std::to_string(std::int64_t{1} << 61U);
  const std::string rounds = std::to_string(std::int64_t{1} << 29U);
  const std::string lines =
      "{\"format\":\"dcmrank.service-state\",\"version\":1}\n"
      "{\"model\":\"default\",\"query\":\"q\",\"rounds\":" +
      rounds + ",\"positions\":[],\"items\":{\"a\":[" + most + "," + most + "]}}\n";
  for (int n = 1; n <= 20; ++n) {
    ASSERT_EQ(call("POST", "/v1/import", lines).status, 200);
    EXPECT_EQ(query("q")["items"][0]["observed"], n * double{1U << 29U});
  }
  learn("q");
  const std::string exported = call("GET", "/v1/export").body;
  stop();
  expect_verified();
  forget_all();
  start();
  ASSERT_EQ(call("POST", "/v1/import", exported).status, 200);
  EXPECT_EQ(call("GET", "/v1/export").body, exported);
}

}  // namespace
}  // namespace dcmrank::testing
