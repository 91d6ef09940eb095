// Commits whose answer is lost on the way: whether they were kept is found out.
#include <chrono>
#include <future>
#include <thread>

#include "dcmrank/postgres/conflict_test.h"

namespace dcmrank::service {
namespace {

using namespace std::chrono_literals;

// The database is told to wait for a standby that there is not: what is committed then is there,
// and nobody is told.
class PostgresLostCommit : public PostgresConflicts {
 protected:
  void TearDown() override {
    if (!IsSkipped()) testing::PgCluster::shared().hold_commits(false);
  }
  void allow_connections(bool some) const {
    testing::PgCluster::shared().ask("ALTER DATABASE " + database() + " ALLOW_CONNECTIONS " +
                                     (some ? "true" : "false"));
  }
  // Until a backend of ours waits for the standby; it is ended then.
  void lose() const {
    std::string gone;
    for (int n = 0; n < 3000 && gone.empty(); ++n) {
      std::this_thread::sleep_for(10ms);
      gone = testing::PgCluster::shared().ask(
          "SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity WHERE datname = '" +
          database() + "' AND application_name = 'dcmrank' AND wait_event = 'SyncRep'");
    }
    EXPECT_EQ(gone, "true") << "nobody waits";
  }
  static QueryDelta four() {
    QueryDelta delta;
    delta.rounds = 1;
    delta.items["a"] = Row{4};
    return delta;
  }
  // An import, or another change that is kept whole or not at all.
  std::future<Buckets> change() {
    writer_->begin();
    writer_->together();
    writer_->add(shoes(), four(), StoreWriter::Into::kBoth, kNow);
    testing::PgCluster::shared().hold_commits(true);
    return std::async(std::launch::async, [&] { return writer_->commit(); });
  }
};

TEST_F(PostgresLostCommit, IsFoundOut) {
  auto commit = change();
  lose();
  testing::PgCluster::shared().hold_commits(false);
  EXPECT_EQ(commit.get(), Buckets());
  EXPECT_EQ(observed(shoes(), "a"), 4);
  ask("UPDATE dcmrank.done SET at = at - interval '2 days'");
  write([](StoreWriter& w) { w.trim(0, 1); });
  EXPECT_EQ(ask("SELECT count(*) FROM dcmrank.done"), "0");
}

TEST_F(PostgresLostCommit, IsSaidWhereItCannotBeFoundOut) {
  allow_connections(false);
  auto commit = change();
  lose();
  EXPECT_THROW(commit.get(), UnsureError);
  testing::PgCluster::shared().hold_commits(false);
  allow_connections(true);
  open();  // whoever was refused is so for a second
  EXPECT_EQ(observed(shoes(), "a"), 4);
}

TEST_F(PostgresLostCommit, ThatCameToNothingIsOne) {
  ask("CREATE FUNCTION dcmrank.die() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM "
      "pg_terminate_backend(pg_backend_pid()); RETURN NULL; END'");
  ask("CREATE CONSTRAINT TRIGGER die AFTER INSERT ON dcmrank.delta DEFERRABLE INITIALLY DEFERRED "
      "FOR EACH ROW EXECUTE FUNCTION dcmrank.die()");
  writer_->begin();
  writer_->together();
  writer_->add(shoes(), four(), StoreWriter::Into::kBoth, kNow);
  try {
    writer_->commit();
    ADD_FAILURE() << "it was kept";
  } catch (const UnsureError& error) {
    ADD_FAILURE() << error.what();
  } catch (const StorageError& error) {
    EXPECT_NE(std::string_view(error.what()), "");
  }
  EXPECT_EQ(observed(shoes(), "a"), 0);
}

}  // namespace
}  // namespace dcmrank::service
