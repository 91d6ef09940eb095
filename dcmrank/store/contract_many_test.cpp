// What every store does with lists of one query that are stored together, by hundreds.
#include <algorithm>

#include "dcmrank/store/contract_test.h"

namespace dcmrank::service {
namespace {

class StoredTogether : public StoreContract {
 protected:
  static constexpr std::uint64_t kMany = 450;

  void SetUp() override {
    make(GetParam());
    if (IsSkipped()) return;
    write([&](StoreWriter& w) {
      for (std::uint64_t n = 1; n <= kMany; ++n) {
        EXPECT_TRUE(w.insert(list(n, 0, n == 7 ? "mine" : ""), kNow + 1000));
      }
      EXPECT_TRUE(w.insert(list(1, 0, "", "hats"), kNow + 1000));
      EXPECT_TRUE(w.insert(list(1, 1), kNow + 1000));
    });
  }
  std::vector<std::uint64_t> due(Time now, std::size_t most = 10'000) {
    auto numbers = writer_->due(now, most);
    std::ranges::sort(numbers);
    return numbers;
  }
  // As a sweep does: what is due closes, or is due later.
  std::size_t sweep(Time now, std::size_t most, std::uint64_t later = 0) {
    writer_->begin();
    const auto numbers = writer_->due(now, most);
    for (const std::uint64_t number : numbers) {
      Impression impression = *writer_->find(number);
      if (number == later) {
        writer_->update(impression, now + 1);
        continue;
      }
      time_out(impression, now);
      writer_->update(impression, std::nullopt);
    }
    EXPECT_EQ(writer_->commit(), Buckets());
    return numbers.size();
  }
  std::size_t lists_of(const QueryKey& key) {
    QueryState state;
    QueryState base;
    std::size_t lists = 0;
    reader_->recount(key, state, base, [&](const Impression&) { ++lists; });
    EXPECT_EQ(writer_->impressions_of(key, 10'000).size(), lists);
    return lists;
  }
};

TEST_P(StoredTogether, AreAllThere) {
  EXPECT_EQ(lists_of(shoes()), kMany);
  EXPECT_EQ(lists_of({models_[0], "hats"}), 1U);
  EXPECT_EQ(lists_of(shoes(1)), 1U);
  EXPECT_EQ(reader_->find(no(300))->page.items, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(reader_->find(models_[0], "mine")->number, no(7));
  teach(no(300), 3);
  EXPECT_EQ(lists_of(shoes()), kMany);
  expect_whole();
}

TEST_P(StoredTogether, AreDueOnceEach) {
  EXPECT_TRUE(due(kNow + 999).empty());
  EXPECT_EQ(due(kNow + 1000).size(), kMany + 2);
  EXPECT_EQ(due(kNow + 1000, 33).size(), 33U);
  teach(no(1), 3);  // closed
  Impression clicked = *reader_->find(no(2));
  clicked.clicks[0] = 1;
  write([&](StoreWriter& w) {
    w.update(clicked, std::nullopt);
    w.set_aside(no(3));
    w.update(*w.find(no(4)), kNow + 2000);
    w.remove(*w.find(no(5)));
  });
  EXPECT_EQ(due(kNow + 1000).size(), kMany + 2 - 4);
  EXPECT_EQ(due(kNow + 2000).size(), kMany + 2 - 3);
  EXPECT_EQ(sweep(kNow + 1000, 1), 1U);
  std::size_t closed = 1;
  while (const std::size_t some = sweep(kNow + 1000, 60, no(40))) closed += some;
  EXPECT_EQ(closed, kMany + 2 - 4);
  EXPECT_EQ(due(kNow + 2000), nos({4, 40}));
  EXPECT_EQ(lists_of(shoes()), kMany - 1);
  EXPECT_TRUE(reader_->find(no(3)));
  expect_whole();
}

TEST_P(StoredTogether, AreDueAgainWhereNobodyClosedThem) {
  write([&](StoreWriter& w) { EXPECT_EQ(w.due(kNow + 1000, 10'000).size(), kMany + 2); });
  EXPECT_EQ(due(kNow + 1000).size(), kMany + 2);
  expect_whole();
}

TEST_P(StoredTogether, AreDueWhenTheirModelSays) {
  write([&](StoreWriter& w) { w.reschedule(models_[0], 5); });
  EXPECT_TRUE(due(kNow + 4).empty());
  EXPECT_EQ(due(kNow + 5).size(), kMany + 1);
  write([&](StoreWriter& w) { w.reschedule(models_[0], 5000); });
  EXPECT_EQ(due(kNow + 1000).size(), 1U);
  EXPECT_EQ(due(kNow + 5000).size(), kMany + 2);
}

TEST_P(StoredTogether, AreErasedWithTheirQuery) {
  teach(no(300), 3);
  write([&](StoreWriter& w) { w.erase_query(shoes()); });
  EXPECT_EQ(lists_of(shoes()), 0U);
  EXPECT_FALSE(reader_->find(no(299)));
  EXPECT_FALSE(reader_->find(models_[0], "mine"));
  EXPECT_EQ(due(kNow + 1000).size(), 2U);
  expect_whole();
}

TEST_P(StoredTogether, KeepTheirQueryUntilTheLastOneIsGone) {
  for (const std::uint64_t last : {kMany, std::uint64_t{1}}) {
    write([&](StoreWriter& w) {
      for (const std::uint64_t number : w.impressions_of(shoes(), 10'000)) {
        if (number != no(1) || last == 1) w.remove(*w.find(number));
      }
    });
    write([&](StoreWriter& w) { w.drop_empty(shoes()); });
    EXPECT_EQ(observed(shoes(), "a"), last == 1 ? -1 : 0);
  }
  expect_whole();
}

TEST_P(StoredTogether, GoWithTheirModel) {
  write([&](StoreWriter& w) { w.erase_model(models_[0]); });
  for (bool more = true; more;) {
    write([&](StoreWriter& w) { more = w.erase_some(100); });
  }
  EXPECT_FALSE(reader_->find(no(300)));
  EXPECT_EQ(due(kNow + 1000).size(), 1U);
}

DCMRANK_OVER_ALL_STORES(StoredTogether);

}  // namespace
}  // namespace dcmrank::service
