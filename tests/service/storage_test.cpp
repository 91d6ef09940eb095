// What can be trusted: crashes, full disks, what waits, what leaves the memory.
#include "service_test.h"

namespace dcmrank::testing {
namespace {

class Storage : public ServiceTest {};

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
