#include "dcmrank/fit/contexts.h"

#include <gtest/gtest.h>

namespace dcmrank {
namespace {

std::vector<ContextCounts> of(const ContextTable& table, std::uint32_t item) {
  const auto contexts = table.of_item(item);
  return {contexts.begin(), contexts.end()};
}

TEST(ContextTable, TellsPositionsAndLastClicksApart) {
  ContextTable table(true);
  table.add(std::vector<std::uint32_t>{0, 1, 2}, std::vector<std::uint8_t>{1, 0, 1});
  table.add(std::vector<std::uint32_t>{0, 1, 2}, std::vector<std::uint8_t>{0, 1, 0});
  table.add(std::vector<std::uint32_t>{0, 1, 2}, std::vector<std::uint8_t>{1, 0, 0});
  using Rows = std::vector<ContextCounts>;
  EXPECT_EQ(of(table, 0), (Rows{{0, 0, {3, 2}}}));
  EXPECT_EQ(of(table, 1), (Rows{{1, 0, {1, 1}}, {1, 1, {2, 0}}}));
  EXPECT_EQ(of(table, 2), (Rows{{2, 1, {1, 0}}, {2, 2, {2, 1}}}));
}

TEST(ContextTable, CountsPositionsAloneWhereThatIsAskedFor) {
  ContextTable table(false);
  table.add(std::vector<std::uint32_t>{0, 1}, std::vector<std::uint8_t>{1, 0});
  table.add(std::vector<std::uint32_t>{1, 0}, std::vector<std::uint8_t>{0, 1});
  EXPECT_EQ(of(table, 0), (std::vector<ContextCounts>{{0, 0, {1, 1}}, {1, 0, {1, 1}}}));
}

TEST(ContextTable, MergesUnderOtherNumbers) {
  ContextTable table(true);
  table.add(std::vector<std::uint32_t>{0, 1}, std::vector<std::uint8_t>{1, 0});
  ContextTable other(true);
  other.add(std::vector<std::uint32_t>{0, 1}, std::vector<std::uint8_t>{1, 1});
  table.merge(other, std::vector<std::uint32_t>{2, 1});
  EXPECT_EQ(of(table, 1), (std::vector<ContextCounts>{{1, 1, {2, 1}}}));
  EXPECT_EQ(of(table, 2), (std::vector<ContextCounts>{{0, 0, {1, 1}}}));
}

}  // namespace
}  // namespace dcmrank
