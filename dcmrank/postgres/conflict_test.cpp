// Several writers at the same records, and connections that end in the middle of it.
#include "dcmrank/postgres/conflict_test.h"

#include <chrono>
#include <future>
#include <thread>

namespace dcmrank::service {
namespace {

using namespace std::chrono_literals;

TEST_F(PostgresConflicts, WhoeverWasSlowerIsToldAndDoesItAgain) {
  const auto other = store_->writer();
  begin_teaching();
  other->begin();
  teach(*other, no(1), 5);
  EXPECT_EQ(other->commit(), Buckets());
  EXPECT_EQ(writer_->commit(), bucket());
  EXPECT_EQ(observed(shoes(), "a"), 5) << "something of it was kept";
  begin_teaching();
  EXPECT_EQ(writer_->commit(), Buckets());
  expect_counted_once();
}

TEST_F(PostgresConflicts, AnIdOfAnEventCountsOnceWhoeverTakesIt) {
  const auto other = store_->writer();
  const auto take = [&](StoreWriter& w) {
    w.begin();
    EXPECT_EQ(w.event(no(1), models_[0], "click"), std::nullopt);
    w.insert_event(no(1), models_[0], "click", "hash");
  };
  take(*writer_);
  take(*other);
  EXPECT_EQ(other->commit(), Buckets());
  EXPECT_EQ(writer_->commit(), bucket());
  writer_->begin();
  EXPECT_EQ(writer_->event(no(1), models_[0], "click"), "hash");
}

TEST_F(PostgresConflicts, AnIdOfAListIsOfOneList) {
  const auto other = store_->writer();
  writer_->begin();
  other->begin();
  EXPECT_TRUE(writer_->insert(list(3, 0, "mine"), kNow));
  EXPECT_TRUE(other->insert(list(4, 0, "mine"), kNow));
  EXPECT_EQ(other->commit(), Buckets());
  EXPECT_EQ(writer_->commit(), bucket());
  writer_->begin();
  const Kept kept = writer_->insert(list(3, 0, "mine"), kNow);
  ASSERT_FALSE(kept);
  EXPECT_EQ(kept.why(), Kept::Not::kIdTaken);
  EXPECT_EQ(writer_->commit(), Buckets());
  EXPECT_EQ(reader_->find(models_[0], "mine")->number, no(4));
}

TEST_F(PostgresConflicts, AListThatWasRankedBeforeItsIdWasErasedIsNotKept) {
  const auto other = store_->writer();
  writer_->begin();
  EXPECT_TRUE(writer_->insert(list(3, 0, "mine"), kNow));
  other->begin();
  other->erase_id(models_[0], "mine");
  EXPECT_EQ(other->commit(), Buckets());
  EXPECT_EQ(writer_->commit(), bucket());  // it was looked at before
  writer_->begin();
  const Kept kept = writer_->insert(list(3, 0, "mine"), kNow);
  ASSERT_FALSE(kept);
  EXPECT_EQ(kept.why(), Kept::Not::kErased);
  EXPECT_EQ(writer_->commit(), Buckets());
  const auto known = reader_->own_id(models_[0], "mine");
  EXPECT_FALSE(known.named) << "its claim is left";
  NewImpression anew = list(4, 0, "mine");
  anew.erasure = known.erasure;
  write([&](StoreWriter& w) { EXPECT_TRUE(w.insert(anew, kNow)); });
  EXPECT_EQ(reader_->find(models_[0], "mine")->number, no(4));
  EXPECT_EQ(ask("SELECT count(*) FROM dcmrank.erased WHERE position('mine'::bytea IN id) > 0"),
            "0");
  ask("UPDATE dcmrank.erased SET at = at - interval '2 days'");
  write([](StoreWriter& w) { w.trim(0, 1); });
  EXPECT_EQ(ask("SELECT count(*) FROM dcmrank.erased"), "0");
  expect_whole();
}

TEST_F(PostgresConflicts, AnIdForWhichEventsWaitIsErasedWithThem) {
  write([&](StoreWriter& w) {
    EXPECT_FALSE(w.erase_held(models_[0], "mine"));
    Event event;
    event.impression = "mine";
    w.hold({models_[0], "", kNow, event, 0});
  });
  EXPECT_EQ(reader_->own_id(models_[0], "mine").erasure, 0U);
  write([&](StoreWriter& w) { EXPECT_TRUE(w.erase_held(models_[0], "mine")); });
  EXPECT_NE(reader_->own_id(models_[0], "mine").erasure, 0U);
}

TEST_F(PostgresConflicts, ADeadlockIsAConflict) {
  const Outsider outsider(place_);
  outsider.run("BEGIN");
  outsider.run("SET LOCAL deadlock_timeout = '60s'");  // so that it is ours that is ended
  outsider.hold(no(2));
  begin_teaching();
  auto commit = std::async(std::launch::async, [&] { return writer_->commit(); });
  waiting();
  outsider.hold(no(1));  // has it as soon as the database ended the other
  EXPECT_EQ(commit.get(), bucket());
  outsider.run("ROLLBACK");
  EXPECT_EQ(observed(shoes(), "a"), 0);
  begin_teaching();
  EXPECT_EQ(writer_->commit(), Buckets());
  expect_counted_once();
}

TEST_F(PostgresConflicts, AConnectionThatIsCutInATransactionLeavesNothingOfIt) {
  const Outsider outsider(place_);
  outsider.run("BEGIN");
  outsider.hold(no(2));
  begin_teaching();
  auto commit = std::async(std::launch::async, [&] { return writer_->commit(); });
  ask("SELECT pg_terminate_backend(" + waiting() + ")");
  EXPECT_THROW(commit.get(), StorageError);
  outsider.run("ROLLBACK");
  EXPECT_EQ(observed(shoes(), "a"), 0);
  begin_teaching();
  EXPECT_EQ(writer_->commit(), Buckets());
  expect_counted_once();
}

// Nobody knows whether it was kept: to do it again counts once.
TEST_F(PostgresConflicts, WhatWasKeptThoughNobodyWasToldCountsOnce) {
  begin_teaching();
  EXPECT_EQ(writer_->commit(), Buckets());
  writer_->begin();
  const NewImpression again = list(1);
  EXPECT_TRUE(writer_->insert(again, kNow));
  EXPECT_EQ(writer_->commit(), Buckets());
  begin_teaching();
  EXPECT_EQ(writer_->commit(), Buckets());
  expect_counted_once();
}

// Whatever the planner thinks of tables that it knows nothing of yet: no list, no event and no sum
// goes through the names of all queries.
TEST_F(PostgresConflicts, QueriesAreFoundByTheirKeys) {
  for (std::uint64_t n = 3; n < 20; ++n) {
    write([&](StoreWriter& w) {
      const NewImpression one = list(n, 0, "", "query" + std::to_string(n));
      const NewImpression* const lists[] = {&one};
      w.expect(lists, {});
      EXPECT_TRUE(w.insert(one, kNow + 1000));
    });
    teach(no(n, "query" + std::to_string(n)), 1);
  }
  begin_teaching();
  EXPECT_EQ(writer_->commit(), Buckets());
  const QueryKey key = shoes();
  EXPECT_EQ(writer_->fold({&key, 1}, 1).size(), 1U);
  writer_.reset();
  reader_.reset();
  store_.reset();  // what its connections counted is known now
  std::string used;
  for (int n = 0; n < 300 && used.empty(); ++n) {
    std::this_thread::sleep_for(10ms);
    used =
        ask("SELECT CASE WHEN sum(idx_scan) > 20 THEN (SELECT idx_scan::text FROM "
            "pg_stat_user_indexes WHERE indexrelname = 'query_by_name') END FROM "
            "pg_stat_user_indexes WHERE indexrelname = 'query_pkey'");
  }
  EXPECT_EQ(used, "0");
}

TEST_F(PostgresConflicts, SummingUpTellsWhatItTook) {
  begin_teaching();
  EXPECT_EQ(writer_->commit(), Buckets());
  QueryState before;
  Standing standing;
  EXPECT_TRUE(reader_->load(shoes(), before, standing));
  EXPECT_EQ(standing.deltas.size(), 2U);
  const QueryKey key = shoes();
  EXPECT_TRUE(writer_->fold({&key, 1}, 3).empty()) << "there is less than that";
  const auto other = store_->writer();
  const auto folded = writer_->fold({&key, 1}, 1);
  ASSERT_EQ(folded.size(), 1U);
  EXPECT_EQ(folded[0].folds, standing.folds + 1);
  EXPECT_EQ(folded[0].deltas.size(), 2U);
  EXPECT_TRUE(other->fold({&key, 1}, 1).empty()) << "it was done";
  Standing after;
  QueryState state;
  EXPECT_TRUE(reader_->load(shoes(), state, after));
  EXPECT_EQ(after.folds, folded[0].folds);
  EXPECT_TRUE(after.deltas.empty());
  EXPECT_EQ(state.rounds, before.rounds);
  expect_counted_once();
}

TEST_F(PostgresConflicts, NoMoreConnectionsThanAllowedHoweverManyRead) {
  const auto small = open_postgres_store(place_, 2);
  std::vector<std::thread> threads;
  for (int n = 0; n < 8; ++n) {
    threads.emplace_back([&] {
      const auto reader = small->reader();
      for (int times = 0; times < 50; ++times) EXPECT_EQ(reader->models().size(), 2U);
    });
  }
  for (auto& thread : threads) thread.join();
  store_.reset();
  writer_.reset();
  reader_.reset();
  for (int n = 0; n < 300; ++n) {  // the database notices the end of a connection a little later
    if (ask("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND "
            "application_name = 'dcmrank'") <= "2") {
      return;
    }
    std::this_thread::sleep_for(10ms);
  }
  ADD_FAILURE() << "more connections";
}

}  // namespace
}  // namespace dcmrank::service
