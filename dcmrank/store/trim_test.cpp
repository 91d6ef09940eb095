// What a store in SQLite looks at to find what is not shown any more is bounded by itself: the
// writer, for which callers wait, does it.
#include <fmt/format.h>

#include "dcmrank/store/contract_test.h"

namespace dcmrank::service {
namespace {

constexpr Time kLater = kNow + 1;
constexpr int kItems = 95;

class Trim : public StoreTest {
 protected:
  void SetUp() override {
    make(kStores[0]);
    write([&](StoreWriter& w) {
      QueryDelta many;
      for (int n = 0; n < kItems; ++n) many.items[fmt::format("item {}", n)] = {1};
      w.add({models_[0], "large"}, many, StoreWriter::Into::kBoth, kNow);
      QueryDelta one;
      one.items["item 1"] = {1};
      w.add({models_[0], "small"}, one, StoreWriter::Into::kBoth, kNow);
    });
  }

  std::size_t items(const std::string& query) {
    QueryState state;
    reader_->load_state({models_[0], query}, state);
    return state.items.size();
  }

  std::vector<QueryKey> trim(Time before) {
    std::vector<QueryKey> changed;
    write([&](StoreWriter& w) { changed = w.trim(before, 3); });
    return changed;
  }
};

TEST_F(Trim, TakesSeveralCallsForAQueryOfManyItems) {
  std::size_t before = items("large");
  for (int calls = 1; calls <= 3; ++calls) {
    EXPECT_EQ(trim(kLater).size(), 1U);
    EXPECT_EQ(items("large"), before - 30) << calls;
    before = items("large");
  }
  EXPECT_EQ(items("small"), 1U);
  EXPECT_EQ(trim(kLater).size(), 2U);
  for (const char* query : {"large", "small"}) {
    QueryState state;
    EXPECT_FALSE(reader_->load_state({models_[0], query}, state)) << query;
  }
  EXPECT_TRUE(trim(kLater).empty());
}

TEST_F(Trim, GoesOnWithinAQueryThatStays) {
  write([&](StoreWriter& w) {
    QueryDelta last;
    last.items[fmt::format("item {}", kItems - 1)] = {1};
    w.add({models_[0], "large"}, last, StoreWriter::Into::kBoth, kLater);
  });
  for (int calls = 0; calls < 8; ++calls) trim(kLater);
  EXPECT_EQ(items("large"), 1U);
  EXPECT_EQ(items("small"), 0U);
}

}  // namespace
}  // namespace dcmrank::service
