// Sums in every store: only added to, and what a recount finds.
#include "dcmrank/store/contract_test.h"

namespace dcmrank::service {
namespace {

class StoredSums : public StoreContract {};

TEST_P(StoredSums, AddsToSumsAndOverwritesNothing) {
  const auto other = store_->writer();
  for (int n = 0; n < 3; ++n) {
    for (StoreWriter* w : {writer_.get(), other.get()}) {
      QueryDelta delta;
      delta.rounds = 1;
      delta.positions = {Row{1}, Row{0, n}};
      delta.items["a"] = Row{10, -1};
      w->begin();
      w->add(shoes(), delta, StoreWriter::Into::kBoth, kNow);
      EXPECT_EQ(w->commit(), Buckets());
    }
  }
  QueryState state;
  ASSERT_TRUE(reader_->load_state(shoes(), state));
  EXPECT_EQ(state.rounds, 6U);
  EXPECT_EQ(state.positions, (std::vector<Row>{Row{6}, Row{0, 6}}));
  EXPECT_TRUE(state.items.find("a")[0] == 60 && state.items.find("a")[1] == -6);
  expect_whole();
}

TEST_P(StoredSums, KnowsWhetherAModelHasLearned) {
  EXPECT_FALSE(reader_->has_learned(models_[0]));
  write([&](StoreWriter& w) { w.insert(list(1), kNow); });
  EXPECT_EQ(reader_->queries(models_[0], "", 10).size(), 1U);
  EXPECT_FALSE(reader_->has_learned(models_[0]));
  EXPECT_FALSE(writer_->has_learned(models_[0]));
  teach(no(1), 10);
  EXPECT_TRUE(reader_->has_learned(models_[0]));
  EXPECT_FALSE(reader_->has_learned(models_[1]));
  QueryDelta imported;
  imported.rounds = 3;
  write([&](StoreWriter& w) { w.add(shoes(1), imported, StoreWriter::Into::kBoth, kNow); });
  EXPECT_TRUE(reader_->has_learned(models_[1]));
  imported.rounds = -3;
  write([&](StoreWriter& w) { w.add(shoes(1), imported, StoreWriter::Into::kBoth, kNow); });
  EXPECT_FALSE(reader_->has_learned(models_[1]));
}

TEST_P(StoredSums, KeepsSumsOfMoreThan64Bits) {
  const Fixed huge = kMostImported;
  QueryDelta delta;
  delta.items["a"] = Row{huge};
  for (int n = 0; n < 4; ++n) {
    write([&](StoreWriter& w) { w.add(shoes(), delta, StoreWriter::Into::kBoth, kNow); });
  }
  QueryState state;
  ASSERT_TRUE(reader_->load_state(shoes(), state));
  EXPECT_TRUE(state.items.find("a")[0] == 4 * huge);
}

TEST_P(StoredSums, RecountsToWhatItSays) {
  write([&](StoreWriter& w) {
    w.insert(list(1), kNow);
    w.insert(list(2), kNow);
  });
  teach(no(1), 10);
  teach(no(2), 20);
  teach(no(1), 15);  // a correction
  EXPECT_EQ(observed(shoes(), "a"), 35);
  expect_whole();
  // What goes from the impressions goes to the base.
  write([&](StoreWriter& w) {
    const Impression old = *w.find(no(1));
    QueryDelta delta;
    delta.add(old.page, old.contribution, 1);
    w.add(shoes(), delta, StoreWriter::Into::kBase, kNow);
    w.remove(old);
  });
  EXPECT_EQ(observed(shoes(), "a"), 35);
  expect_whole();
  write([&](StoreWriter& w) { w.remove(*w.find(no(2))); });  // and not to the base
  EXPECT_FALSE(verify(*reader_).first_faults.empty());
}

DCMRANK_OVER_ALL_STORES(StoredSums);

}  // namespace
}  // namespace dcmrank::service
