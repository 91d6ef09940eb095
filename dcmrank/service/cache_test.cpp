// What the cache does where others change the store, too.
#include "dcmrank/service/cache.h"

#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "../../tests/cli/process.h"
#include "dcmrank/store/sqlite_store.h"

namespace dcmrank::service {
namespace {

class Cache : public ::testing::Test {
 protected:
  void SetUp() override {
    store_ = open_sqlite_store(folder_.path().string());
    writer_ = store_->writer();
    reader_ = store_->reader();
    Model model;
    model.name = "m";
    set_policy(model, "dcm-ts");
    writer_->begin();
    model_ = writer_->put(model);
    writer_->commit();
  }
  // As another server does it.
  void add_round() {
    QueryDelta delta;
    delta.rounds = 1;
    writer_->begin();
    writer_->add({model_, "q"}, delta, StoreWriter::Into::kBoth, 1);
    writer_->commit();
  }
  std::uint64_t rounds(QueryCache& cache) { return cache.get(model_, "q", *reader_)->state.rounds; }
  static void age(const QueryEntry& entry) {
    while (QueryCache::now() <= entry.seen) std::this_thread::yield();
  }

  testing::TemporaryFolder folder_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<StoreWriter> writer_;
  std::unique_ptr<StoreReader> reader_;
  std::int64_t model_ = 0;
};

TEST_F(Cache, BelievesWhatItKnowsWhereNobodyElseWrites) {
  QueryCache cache(1 << 20);
  EXPECT_EQ(rounds(cache), 0U);
  add_round();
  EXPECT_EQ(rounds(cache), 0U);
}

TEST_F(Cache, ReadsAgainWhatIsTooOld) {
  QueryCache young(1 << 20, 1'000'000);
  QueryCache old(1 << 20, 0);
  EXPECT_EQ(rounds(young), 0U);
  const auto before = old.get(model_, "q", *reader_);
  add_round();
  age(*before);
  EXPECT_EQ(rounds(young), 0U);
  EXPECT_EQ(rounds(old), 1U);
  EXPECT_EQ(old.queries(), 1U);
  EXPECT_TRUE(before->dropped);
  const std::size_t bytes = old.bytes();
  add_round();
  age(*old.get(model_, "q", *reader_));
  EXPECT_EQ(rounds(old), 2U);
  EXPECT_EQ(old.bytes(), bytes);
}

TEST_F(Cache, DoesNotReplaceWhatTheWriterHasInHand) {
  QueryCache cache(1 << 20, 0);
  const auto pinned = cache.get(model_, "q", *reader_, true);
  add_round();
  age(*pinned);
  EXPECT_EQ(cache.get(model_, "q", *reader_), pinned);
  cache.unpin(*pinned);
  EXPECT_EQ(rounds(cache), 1U);
}

TEST_F(Cache, KeepsALargeQueryThatIsUsedRatherThanSmallOnesThatAreNot) {
  QueryDelta delta;
  for (int n = 0; n < 1000; ++n) delta.items["item-" + std::to_string(n)] = Row({1, 1});
  writer_->begin();
  writer_->add({model_, "large"}, delta, StoreWriter::Into::kBoth, 1);
  writer_->commit();
  QueryCache measuring(1 << 30);
  measuring.get(model_, "large", *reader_);
  const std::size_t large = measuring.bytes();

  QueryCache cache(2 * large);
  cache.get(model_, "large", *reader_);
  std::uint64_t others = 0;
  while (cache.evictions() < 10) {
    cache.get(model_, "other-" + std::to_string(++others), *reader_);
    cache.get(model_, "large", *reader_);
    ASSERT_LE(cache.bytes(), 2 * large);
  }
  EXPECT_EQ(cache.loads(), others + 1);
  const std::uint64_t all = cache.queries();
  for (std::uint64_t n = 0; n < all; ++n) {
    cache.get(model_, "other-" + std::to_string(++others), *reader_);
  }
  EXPECT_EQ(cache.loads(), others + 1);
  cache.get(model_, "large", *reader_);
  EXPECT_EQ(cache.loads(), others + 2) << "what is not used any more goes";
}

TEST_F(Cache, FindsWithoutTheStoreWhatIsThereAndFresh) {
  QueryCache cache(1 << 20, 0);
  EXPECT_EQ(cache.find(model_, "q", QueryCache::Age::kAny), nullptr);
  const auto entry = cache.get(model_, "q", *reader_);
  age(*entry);
  EXPECT_EQ(cache.find(model_, "q", QueryCache::Age::kAsSaid), nullptr);
  EXPECT_EQ(cache.find(model_, "q", QueryCache::Age::kAny), entry);
  EXPECT_EQ(cache.find(model_, "q", QueryCache::Age::kAsCompared), entry);
  cache.note_compared(entry->seen + 1);  // without it: it was not in use
  EXPECT_EQ(cache.find(model_, "q", QueryCache::Age::kAsCompared), nullptr);
  QueryCache own(1 << 20);
  const auto other = own.get(model_, "q", *reader_);
  EXPECT_EQ(own.find(model_, "q", QueryCache::Age::kAsSaid), other);
}

}  // namespace
}  // namespace dcmrank::service
