// Impressions and events in every store: ids, what is due, what is held.
#include "dcmrank/store/contract_test.h"

namespace dcmrank::service {
namespace {

class StoredImpressions : public StoreContract {};

TEST_P(StoredImpressions, KeepsAnImpressionAsItWas) {
  write([&](StoreWriter& w) { w.insert(list(5, 0, "mine"), kNow + 10); });
  open();
  const auto found = reader_->find(models_[0], "mine");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->number, no(5));
  EXPECT_EQ(found->query, "shoes");
  EXPECT_EQ(found->page.items, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(found->state, ImpressionState::kOpen);
  EXPECT_EQ(found->made, kNow);
  EXPECT_FALSE(found->seen);
  const auto named = reader_->named(models_[0], "mine");
  ASSERT_TRUE(named);
  EXPECT_EQ(named->answer, R"({"answer of":"mine"})");
  expect_whole();
}

TEST_P(StoredImpressions, GivesEveryModelIdsOfItsOwn) {
  write([&](StoreWriter& w) {
    w.insert(list(1, 0, "same"), kNow);
    w.insert(list(2, 1, "same"), kNow);
    w.insert_event(no(1), models_[0], "click", "x");
    w.insert_event(no(1), models_[1], "click", "y");
  });
  EXPECT_EQ(reader_->find(models_[0], "same")->number, no(1));
  EXPECT_EQ(reader_->find(models_[1], "same")->number, no(2, "shoes", 1));
  EXPECT_EQ(writer_->event(no(1), models_[0], "click"), "x");
  EXPECT_EQ(writer_->event(no(1), models_[1], "click"), "y");
  EXPECT_EQ(writer_->event(no(1), models_[1], "other"), std::nullopt);
}

TEST_P(StoredImpressions, KnowsAnIdThatTheServiceMadeWhateverTheModel) {
  write([&](StoreWriter& w) { w.insert(list(9), kNow); });
  const std::string id = made_id(no(9), 7);
  EXPECT_TRUE(reader_->find(0, id));
  EXPECT_TRUE(reader_->find(models_[0], id));
  EXPECT_FALSE(reader_->find(models_[1], id));
  EXPECT_FALSE(reader_->find(0, made_id(no(9), 8)));
}

TEST_P(StoredImpressions, ShowsOthersOnlyWhatIsCommittedAndLosesWhatIsRolledBack) {
  writer_->begin();
  writer_->insert(list(1), kNow);
  EXPECT_TRUE(writer_->find(no(1)));
  EXPECT_FALSE(reader_->find(no(1)));
  writer_->rollback();
  EXPECT_FALSE(writer_->find(no(1)));
  writer_->begin();
  writer_->insert(list(2), kNow);
  writer_->begin();  // a failure left the former one open
  writer_->commit();
  EXPECT_FALSE(reader_->find(no(2)));
  EXPECT_TRUE(reader_->queries(models_[0], "", 10).empty());
}

TEST_P(StoredImpressions, FindsWhatIsDueTheLongestDueFirst) {
  write([&](StoreWriter& w) {
    w.insert(list(1), kNow + 30);
    w.insert(list(2), kNow + 10);
    w.insert(list(3), kNow + 20);
    w.insert(list(4), kNow + 99);
  });
  EXPECT_EQ(writer_->due(kNow + 50, 10), nos({2, 3, 1}));
  EXPECT_EQ(writer_->due(kNow + 50, 2), nos({2, 3}));
  EXPECT_TRUE(writer_->due(kNow, 10).empty());
  write([&](StoreWriter& w) {
    w.set_aside(no(2));
    w.update(*w.find(no(3)), kNow + 200);
  });
  EXPECT_EQ(writer_->due(kNow + 50, 10), nos({1}));
  EXPECT_TRUE(reader_->find(no(2)));
  write([&](StoreWriter& w) { w.update(*w.find(no(1)), std::nullopt); });
  EXPECT_EQ(writer_->due(kNow + 50, 10), nos({1})) << "is due as before";
  write([&](StoreWriter& w) { w.reschedule(models_[0], 5); });
  EXPECT_EQ(writer_->due(kNow + 5, 10).size(), 3U);
}

TEST_P(StoredImpressions, FindsOldImpressionsInTurnAndAgain) {
  write([&](StoreWriter& w) {
    for (std::uint64_t n = 1; n <= 6; ++n) w.insert(list(n), kNow);
  });
  for (const std::uint64_t n : {1U, 3U, 4U, 6U}) teach(no(n), 1);
  EXPECT_TRUE(writer_->old(kNow, 10).empty());
  for (int round = 0; round < 2; ++round) {
    std::vector<std::uint64_t> all;
    while (all.size() < 4) {
      const auto some = writer_->old(kNow + 1, 3);
      all.insert(all.end(), some.begin(), some.end());
    }
    EXPECT_EQ(all, nos({1, 3, 4, 6}));
    while (!writer_->old(kNow + 1, 3).empty()) all.clear();
    EXPECT_EQ(all.size(), 4U) << "the end";
  }
}

TEST_P(StoredImpressions, HoldsEventsByCallerAndLetsThemGo) {
  const auto held = [&](const std::string& impression, const std::string& caller, Time until) {
    HeldEvent result{models_[0], caller, until, {}, 0};
    result.event.impression = impression;
    result.event.item = "a";
    return result;
  };
  write([&](StoreWriter& w) {
    w.hold(held("x", "ann", kNow + 10));
    w.hold(held("x", "bob", kNow + 10));
    w.hold(held("y", "bob", kNow + 5));
  });
  using Counts = std::vector<std::pair<std::string, std::uint64_t>>;
  EXPECT_EQ(writer_->held(), (Counts{{"ann", 1}, {"bob", 2}}));
  write([&](StoreWriter& w) {
    EXPECT_TRUE(w.release(models_[1], "x").empty());
    const auto events = w.release(models_[0], "x");
    ASSERT_EQ(events.size(), 2U);
    EXPECT_EQ(events[0].event.item, "a");
    EXPECT_TRUE(w.expire_held(kNow + 5).empty());
    EXPECT_EQ(w.expire_held(kNow + 6), (Counts{{"bob", 1}}));
  });
  EXPECT_TRUE(writer_->held().empty());
}

TEST_P(StoredImpressions, TellsStartsApartAndKnowsTheTime) {
  const std::uint64_t first = store_->begin_start();
  EXPECT_GE(first, 1U);
  const Time before = store_->now();
  write([&](StoreWriter& w) { w.insert(list(1), kNow); });
  open();
  const std::uint64_t second = store_->begin_start();
  EXPECT_NE(first, second);
  EXPECT_LT(std::max(first, second), std::uint64_t{1} << 23U);
  if (!store_->is_shared()) {
    EXPECT_LT(first, second);
  }
  EXPECT_GE(store_->now(), store_->is_shared() ? before : kNow);
}

DCMRANK_OVER_ALL_STORES(StoredImpressions);

}  // namespace
}  // namespace dcmrank::service
