#include "dcmrank/model/interaction.h"

#include <gtest/gtest.h>

namespace dcmrank {
namespace {

using ClickVector = std::vector<std::uint8_t>;

TEST(ObservedPrefix, EndsAtTheLastClick) {
  EXPECT_EQ(observed_prefix(ClickVector{0, 1, 1, 0}), 3U);  // the example of Sec. 3.2
  EXPECT_EQ(observed_prefix(ClickVector{1, 0, 0, 0}), 1U);
  EXPECT_EQ(observed_prefix(ClickVector{0, 0, 0, 1}), 4U);
}

TEST(ObservedPrefix, IsTheWholePageWithoutAClick) {
  EXPECT_EQ(observed_prefix(ClickVector{0, 0, 0}), 3U);
  EXPECT_EQ(observed_prefix(ClickVector{}), 0U);
}

TEST(LastClick, IsZeroWithoutAClick) {
  EXPECT_EQ(last_click(ClickVector{0, 0, 0}), 0U);
  EXPECT_EQ(last_click(ClickVector{1, 0, 1}), 3U);
}

}  // namespace
}  // namespace dcmrank
