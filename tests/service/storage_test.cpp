// What can be trusted: crashes, full and failing disks, foreign files, two servers.
#include <filesystem>

#include "dcmrank/store/sqlite.h"
#include "service_test.h"

namespace dcmrank::testing {
namespace {

namespace fs = std::filesystem;

class Storage : public ServiceTest {};

class SqliteFolder : public SqliteTest {
 protected:
  // `dcmrank serve` on `data` is refused with a line that has `part`, and touches nothing.
  void refuses_to_serve(const std::string& part) {
    const std::string before = read(folder() / "data/dcmrank.db");
    const Outcome outcome = dcmrank("serve --listen 127.0.0.1:0 --data data");
    EXPECT_EQ(outcome.status, 2) << outcome.err;
    EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
    EXPECT_EQ(read(folder() / "data/dcmrank.db"), before);
  }
};

TEST_F(Storage, KeepsWhatItAcknowledgedThroughACrash) {
  start();
  for (int round = 1; round <= 5; ++round) {
    const std::string impression = rank("q", {"a", "b"});
    EXPECT_EQ(report(click(impression, "a")), "accepted");
    EXPECT_EQ(report(close(impression)), "accepted");
    const std::string open = rank("q", {"a", "b"});
    EXPECT_EQ(report(click(open, "b")), "accepted");
    const json before = query("q");
    stop(SIGKILL);
    expect_verified();
    start();
    EXPECT_EQ(counted(query("q")), counted(before));
    EXPECT_EQ(report(click(impression, "a")), "duplicate");
    EXPECT_EQ(get("/v1/impressions/" + open)["clicks"], json({"b"}));
  }
  EXPECT_EQ(query("q")["items"][0]["attracted"], 5);
}

TEST_F(Storage, CommitsWhatWaitsWhenItIsAskedToStop) {
  start();
  const std::string impression = rank("q", {"a", "b"});
  const Outcome outcome = stop();
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("\"stopped\""), std::string::npos) << outcome.err;
  start();
  EXPECT_EQ(get("/v1/impressions/" + impression)["state"], "open");
}

TEST_F(Storage, GoesOnRankingOnAFullDiskAndRecoversByItself) {
  start_on_bad_disk();
  const std::string before = rank("q", {"a", "b"});
  EXPECT_EQ(report(click(before, "a")), "accepted");
  disk("full");
  const HttpAnswer refused = call("POST", "/v1/feedback", close(before).dump());
  EXPECT_EQ(refused.status, 503) << refused.body;
  EXPECT_EQ(refused.code(), "storage");
  EXPECT_EQ(call("GET", "/readyz").status, 503);
  EXPECT_EQ(call("GET", "/healthz").status, 200);
  EXPECT_EQ(metric("dcmrank_storage_ok"), 0);
  const std::string during = rank("q", {"a", "b"});
  EXPECT_EQ(query("q")["rounds"], 0);
  disk_is_well();
  EXPECT_TRUE(eventually([&] { return call("GET", "/readyz").status == 200; }));
  EXPECT_EQ(report(close(before)), "accepted");
  EXPECT_EQ(report(close(during)), "accepted");
  EXPECT_EQ(query("q")["rounds"], 2);
  expect_verified();
}

TEST_F(Storage, DropsListsThatCannotWaitAndSaysSo) {
  start_on_bad_disk("--max-queue 2000 --max-body 1000");
  const std::string before = rank("q", {"a", "b"});
  report(close(before));
  disk("full");
  for (int n = 0; n < 20; ++n) rank("q", {"a", "b"});
  EXPECT_TRUE(eventually(
      [&] { return metric("dcmrank_impressions_dropped_total{reason=\"queue\"}") >= 10; }));
  disk_is_well();
  // As soon as those that waited are stored there is room again.
  EXPECT_TRUE(eventually([&] { return report(close(rank("q", {"a", "b"}))) == "accepted"; }));
  expect_verified();
}

TEST_F(Storage, SaysAtItsEndHowManyListsItCouldNotStore) {
  start_on_bad_disk();
  report(close(rank("q", {"a", "b"})));
  disk("full");
  for (int n = 0; n < 5; ++n) rank("q", {"a", "b"});
  // The writer has tried: they are not new any more.
  EXPECT_TRUE(eventually([&] { return call("GET", "/readyz").status == 503; }));
  const Outcome outcome = stop();
  EXPECT_NE(outcome.err.find(R"("event":"lists_lost","lists":5)"), std::string::npos)
      << outcome.err;
}

TEST_F(SqliteFolder, AcknowledgesNothingWhenTheDiskCannotSync) {
  start_on_bad_disk();
  const std::string impression = rank("q", {"a", "b"});
  report(click(impression, "a"));
  disk("sync");
  const HttpAnswer refused = call("POST", "/v1/feedback", close(impression).dump());
  EXPECT_EQ(refused.status, 503) << refused.body;
  EXPECT_EQ(query("q")["rounds"], 0);
  const HttpAnswer ranked = call("POST", "/v1/rank", R"({"query":"q","items":["a","b"]})");
  EXPECT_EQ(ranked.status, 200);
  EXPECT_EQ(ranked.json()["round"], 1);  // memory, too, is as before
  disk_is_well();
  EXPECT_TRUE(eventually([&] { return call("GET", "/readyz").status == 200; }));
  EXPECT_EQ(report(close(impression)), "accepted");
  EXPECT_EQ(query("q")["items"][0]["attracted"], 1);
  expect_verified();
}

TEST_F(SqliteFolder, BelongsToOneServerAtATime) {
  start();
  const Outcome second = dcmrank("serve --listen 127.0.0.1:0 --data data");
  EXPECT_EQ(second.status, 2);
  EXPECT_NE(second.err.find("another dcmrank serve uses this folder"), std::string::npos);
  EXPECT_EQ(call("GET", "/healthz").status, 200);
  stop(SIGKILL);
  start();
}

TEST_F(SqliteFolder, IsNeverMadeOverAFileThatIsNotOurs) {
  fs::create_directories(folder() / "data");
  write(folder() / "data/dcmrank.db", "");
  refuses_to_serve("not a dcmrank database");
  write(folder() / "data/dcmrank.db", "my diary, page one" + std::string(1000, '.'));
  refuses_to_serve("not a dcmrank database");
}

TEST_F(SqliteFolder, OfALaterVersionOrDamagedIsRefused) {
  start();
  rank("q", {"a", "b"});
  stop();
  const std::string whole = read(folder() / "data/dcmrank.db");
  std::string later = whole;
  later[63] = 99;  // user_version
  write(folder() / "data/dcmrank.db", later);
  refuses_to_serve("layout version 99");
  std::string foreign = whole;
  foreign[68] = 'x';  // application_id
  write(folder() / "data/dcmrank.db", foreign);
  refuses_to_serve("not a dcmrank database");
  std::string damaged = whole;
  damaged.replace(100, 300, std::string(300, 'x'));  // the schema's page
  write(folder() / "data/dcmrank.db", damaged);
  refuses_to_serve("cannot be opened");
  EXPECT_NE(dcmrank("verify --data data").status, 0);
  write(folder() / "data/dcmrank.db", whole.substr(0, whole.size() / 2));
  refuses_to_serve("cut short");
  EXPECT_NE(dcmrank("verify --data data").err.find("cut short"), std::string::npos);
  write(folder() / "data/dcmrank.db", whole);
  start();
}

// layout_v1.sql was written by the first version: three pages taught each way, one is open. Every
// later layout leaves such a file here.
TEST_F(SqliteFolder, OfEveryEarlierLayoutIsReadAndGoesOn) {
  for (const std::string version : {"v1"}) {
    fs::create_directories(folder() / "data");
    const std::string sql = read(fs::path(places::kServiceTests) / ("layout_" + version + ".sql"));
    ASSERT_NE(sql, "");
    service::Database((folder() / "data/dcmrank.db").string(), service::Database::Mode::kCreate)
        .execute(sql.c_str());
    EXPECT_EQ(dcmrank("verify --data data").status, 2);  // and says who brings it up to date
    start();
    EXPECT_EQ(query("shoes")["rounds"], 3);
    EXPECT_EQ(query("shoes")["items"][1]["attracted"], 1);
    EXPECT_EQ(query("hats", "kl")["items"][1]["attracted"], 1);
    EXPECT_EQ(report(close("m4")), "accepted");
    EXPECT_EQ(query("shoes")["rounds"], 4);
    EXPECT_EQ(query("shoes")["items"][1]["attracted"], 2);
    stop();
    expect_verified();
    fs::remove_all(folder() / "data");
  }
}

// layout_v1_erased.sql: a query and an item were forgotten, which layout 1 did by marks; ids were
// not a model's own; an event waits for its impression.
TEST_F(SqliteFolder, OfTheFirstLayoutLeavesBehindWhatWasForgotten) {
  fs::create_directories(folder() / "data");
  const std::string sql = read(fs::path(places::kServiceTests) / "layout_v1_erased.sql");
  ASSERT_NE(sql.find("secret-query"), std::string::npos);
  service::Database((folder() / "data/dcmrank.db").string(), service::Database::Mode::kCreate)
      .execute(sql.c_str());
  start();
  EXPECT_EQ(query("boots")["rounds"], 4);
  EXPECT_EQ(query("boots")["items"].size(), 2U);
  EXPECT_EQ(call("GET", "/v1/models/default/queries/secret-query").status, 404);
  EXPECT_EQ(get("/v1/impressions/boots0")["items"], json({"left", "", "right"}));
  EXPECT_EQ(get("/v1/impressions/theirs?model=other")["clicks"], json({"left"}));
  EXPECT_EQ(call("GET", "/v1/impressions/theirs").status, 404);
  json again = click("boots3", "right");
  again["id"] = "boots3-e0";
  EXPECT_EQ(report(again), "duplicate");
  // What was held counts as soon as its impression comes.
  rank({{"query", "boots"}, {"items", {"left", "right"}}, {"id", "later"}});
  EXPECT_TRUE(eventually([&] {
    const HttpAnswer found = call("GET", "/v1/impressions/later");
    return found.status == 200 && found.json()["clicks"] == json({"left"});
  }));
  EXPECT_EQ(report(close("still-open")), "accepted");
  EXPECT_EQ(query("boots")["rounds"], 5);
  stop();
  expect_verified();
  EXPECT_EQ(read(folder() / "data/dcmrank.db").find("secret"), std::string::npos);
}

TEST_F(Storage, IsFoundAtFaultWhereItsCountsAreWrong) {
  start();
  const std::string impression = rank("q", {"attractive", "b"});
  report(close(impression));
  stop();
  expect_verified();
  if (over_postgres()) {
    in_postgres("DELETE FROM delta");
  } else {
    service::Database((folder() / "data/dcmrank.db").string(), service::Database::Mode::kWrite)
        .execute("UPDATE item SET state = add_row(state, state) WHERE name = 'attractive'");
  }
  const Outcome outcome = dcmrank("verify " + place());
  EXPECT_EQ(outcome.status, 1) << outcome.out;
  const char* const fault = over_postgres() ? "is missing" : "differs from its recount";
  EXPECT_NE(outcome.out.find(fault), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("model 'default', query 'q': "), std::string::npos) << outcome.out;
}

TEST_F(SqliteFolder, IsCopiedWhileItIsUsed) {
  start();
  for (int n = 0; n < 20; ++n) report(close(rank("q", {"a", "b"})));
  EXPECT_EQ(dcmrank("backup --data data --out copy.db").status, 0);
  report(close(rank("q", {"a", "b"})));
  fs::create_directories(folder() / "restored");
  fs::copy(folder() / "copy.db", folder() / "restored/dcmrank.db");
  EXPECT_EQ(dcmrank("verify --data restored").status, 0);
  Server restored(folder(), "--data restored");
  EXPECT_EQ(
      HttpClient(restored.address()).call("GET", "/v1/models/default/queries/q").json()["rounds"],
      20);
  const Outcome again = dcmrank("backup --data data --out copy.db");
  EXPECT_EQ(again.status, 2);
  EXPECT_NE(again.err.find("copy.db already exists; --force"), std::string::npos) << again.err;
  EXPECT_EQ(dcmrank("backup --data data --out copy.db --force").status, 0);
  EXPECT_EQ(dcmrank("backup --data none --out copy2.db").status, 2);
  EXPECT_FALSE(fs::exists(folder() / "copy2.db"));
  fs::create_symlink("nowhere/at-all.db", folder() / "link.db");
  EXPECT_EQ(dcmrank("backup --data data --out link.db").status, 2) << "a link is something";
  EXPECT_EQ(dcmrank("backup --data data --out link.db --force").status, 0);
  EXPECT_TRUE(fs::is_regular_file(folder() / "link.db"));
}

// A server would go on writing to a file that has no name any more.
TEST_F(SqliteFolder, IsNotReplacedByItsOwnCopy) {
  start();
  learn("before");
  fs::create_symlink("data", folder() / "link");
  fs::create_symlink("data/dcmrank.db", folder() / "link.db");
  fs::create_hard_link(folder() / "data/dcmrank.db", folder() / "other-name.db");
  for (const char* out : {"data/dcmrank.db", "data/dcmrank.db-wal", "data/dcmrank.db-shm",
                          "data/new.db", "link/dcmrank.db", "link.db", "data/../data/x.db"}) {
    const Outcome outcome = dcmrank(std::string("backup --data data --force --out ") + out);
    EXPECT_EQ(outcome.status, 2) << out;
    EXPECT_NE(outcome.err.find("among the files of the service"), std::string::npos) << outcome.err;
  }
  EXPECT_EQ(dcmrank("backup --data link --force --out data/dcmrank.db").status, 2);
  EXPECT_EQ(dcmrank("backup --data data --force --out other-name.db").status, 0);
  learn("after");
  restart();
  EXPECT_EQ(query("before")["rounds"], 1);
  EXPECT_EQ(query("after")["rounds"], 1);
}

// Far more queries than fit: memory stays bounded, and what left comes back from the database.
TEST_F(Storage, BringsBackQueriesThatLeftTheMemory) {
  start("--cache 200000");
  const auto name = [](int n) { return "query" + std::to_string(n); };
  for (int n = 0; n < 1000; ++n) {
    const std::string impression = rank(name(n), {"a", "b", "c"});
    post("/v1/feedback", json::array({click(impression, "b"), close(impression)}));
  }
  EXPECT_LE(metric("dcmrank_cache_bytes"), 200'000);
  EXPECT_GT(metric("dcmrank_cache_evictions"), 100);
  for (int n = 0; n < 1000; n += 50) {
    const json answer = post("/v1/rank", {{"query", name(n)}, {"items", {"a", "b", "c"}}});
    EXPECT_EQ(answer["round"], 2) << n;
  }
  expect_verified();
}

TEST_F(Storage, RefusesFeedbackThatCouldNeverWait) {
  start("--max-queue-events 5000");
  const std::string impression = rank("q", {"a", "b"});
  const json many(100, click(impression, "a"));
  const HttpAnswer answer = call("POST", "/v1/feedback", many.dump());
  EXPECT_EQ(answer.status, 413) << "trying again would not help";
  EXPECT_EQ(answer.code(), "too_large");
  EXPECT_EQ(report(click(impression, "a")), "accepted");
}

}  // namespace
}  // namespace dcmrank::testing
