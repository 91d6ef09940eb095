// What every store erases, and what it lets go.
#include "dcmrank/store/contract_test.h"

namespace dcmrank::service {
namespace {

class StoredText : public StoreContract {};

TEST_P(StoredText, ErasesAQueryAndAllThatBelongsToIt) {
  write([&](StoreWriter& w) {
    w.insert(list(1, 0, "mine"), kNow);
    w.insert(list(2, 0, "", "hats"), kNow);
    w.insert_event(no(1), models_[0], "click", "x");
    Impression impression = *w.find(no(1));
    impression.events = {"click"};
    w.update(impression, kNow);
  });
  teach(no(2, "hats"), 3);
  write([&](StoreWriter& w) { w.erase_query(shoes()); });
  EXPECT_FALSE(reader_->find(models_[0], "mine"));
  EXPECT_FALSE(reader_->named(models_[0], "mine"));
  EXPECT_EQ(writer_->event(no(1), models_[0], "click"), std::nullopt);
  EXPECT_EQ(observed(shoes(), "a"), -1);
  EXPECT_EQ(observed({models_[0], "hats"}, "a"), 3);
  expect_whole();
}

TEST_P(StoredText, ErasesAnItemFromListsAndSums) {
  write([&](StoreWriter& w) { w.insert(list(1, 0, "mine"), kNow); });
  teach(no(1), 10);
  write([&](StoreWriter& w) {
    EXPECT_EQ(w.impressions_of(shoes(), 10), nos({1}));
    Impression impression = *w.find(no(1));
    EXPECT_TRUE(erase_item(impression, "a"));
    w.rewrite(impression, kNow);
    w.erase_item(shoes(), "a");
  });
  EXPECT_EQ(reader_->find(no(1))->page.items, (std::vector<std::string>{"", "b"}));
  EXPECT_EQ(reader_->named(models_[0], "mine")->answer, "");
  EXPECT_EQ(observed(shoes(), "a"), 0);
  EXPECT_EQ(observed(shoes(), "b"), 10);
  expect_whole();
}

TEST_P(StoredText, LeavesNothingOfAnErasedImpressionWhereItWasTheOnlyOne) {
  write([&](StoreWriter& w) {
    w.insert(list(1), kNow);
    w.insert(list(2, 0, "", "hats"), kNow);
  });
  teach(no(1), 10);
  write([&](StoreWriter& w) {
    const Impression impression = *w.find(no(1));
    QueryDelta delta;
    delta.add(impression.page, impression.contribution, -1);
    w.add(shoes(), delta, StoreWriter::Into::kState, kNow);
    w.remove(impression);
    w.drop_empty(shoes());
    w.drop_empty({models_[0], "hats"});
  });
  EXPECT_EQ(observed(shoes(), "a"), -1);
  EXPECT_EQ(observed({models_[0], "hats"}, "a"), 0);  // its impression is there
  expect_whole();
}

TEST_P(StoredText, ErasesAModelBitByBitAndItsNameIsFree) {
  write([&](StoreWriter& w) {
    for (std::uint64_t n = 0; n < 250; ++n) {
      w.insert(list(n + 1, n % 2, "", "query" + std::to_string(n)), kNow);
    }
  });
  write([&](StoreWriter& w) { w.erase_model(models_[0]); });
  EXPECT_EQ(reader_->models().size(), 1U);
  const std::int64_t anew = [&] {
    std::int64_t id = 0;
    write([&](StoreWriter& w) { id = w.put(model("one")); });
    return id;
  }();
  EXPECT_NE(anew, models_[0]);
  int steps = 0;
  for (bool more = true; more; ++steps) {
    write([&](StoreWriter& w) { more = w.erase_some(50); });
  }
  EXPECT_GT(steps, 3);
  EXPECT_TRUE(reader_->queries(models_[0], "", 10).empty());
  EXPECT_EQ(reader_->queries(models_[1], "", 1000).size(), 125U);
  EXPECT_FALSE(reader_->find(no(1, "query0")));
  EXPECT_TRUE(reader_->find(no(2, "query1", 1)));
  expect_whole();
}

TEST_P(StoredText, TrimsWhatIsNotShownAnyMore) {
  constexpr Time kLater = kNow + 1000;
  QueryDelta old;
  old.rounds = 1;
  old.items["old"] = Row{1};
  QueryDelta young;
  young.rounds = 1;
  young.items["young"] = Row{1};
  write([&](StoreWriter& w) {
    w.add({models_[0], "gone"}, old, StoreWriter::Into::kBoth, kNow);
    w.add({models_[0], "stays"}, old, StoreWriter::Into::kBoth, kNow);
    w.add({models_[0], "stays"}, young, StoreWriter::Into::kBoth, kLater);
    w.add({models_[0], "shown"}, old, StoreWriter::Into::kBoth, kNow);
    w.insert(list(1, 0, "", "shown"), kNow);
  });
  std::vector<QueryKey> changed;
  for (int n = 0; n < 3; ++n) {  // two at a time, and again from the beginning
    write([&](StoreWriter& w) {
      for (QueryKey& key : w.trim(kLater, 2)) changed.push_back(std::move(key));
    });
  }
  EXPECT_EQ(observed({models_[0], "gone"}, "old"), -1);
  EXPECT_EQ(observed({models_[0], "stays"}, "old"), 0);
  EXPECT_EQ(observed({models_[0], "stays"}, "young"), 1);
  EXPECT_TRUE(reader_->find(no(1, "shown")));
  EXPECT_EQ(changed.size(), 3U);
  expect_whole();
}

DCMRANK_OVER_ALL_STORES(StoredText);

}  // namespace
}  // namespace dcmrank::service
