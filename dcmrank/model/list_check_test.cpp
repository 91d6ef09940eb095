#include "dcmrank/model/list_check.h"

#include <gtest/gtest.h>

namespace dcmrank {
namespace {

TEST(ListCheck, TakesKDifferentItemsAgainAndAgain) {
  ListCheck check(4, 2);
  const std::vector<Item> list{3, 0};
  EXPECT_TRUE(check.is_valid(list));
  EXPECT_TRUE(check.is_valid(list));
}

TEST(ListCheck, SaysWhatIsWrong) {
  ListCheck check(4, 2);
  const auto fault = [&](const std::vector<Item>& list) {
    EXPECT_FALSE(check.is_valid(list));
    return check.fault(list);
  };
  EXPECT_EQ(fault({1, 1}), "has item 1 twice");
  EXPECT_EQ(fault({1, 4}), "has item 4; items are numbered from 0 to 3");
  EXPECT_EQ(fault({1}), "has 1 item for 2 positions");
  EXPECT_EQ(fault({}), "has 0 items for 2 positions");
  EXPECT_EQ(item_fault(-1, 4), "has item -1; items are numbered from 0 to 3");
}

}  // namespace
}  // namespace dcmrank
