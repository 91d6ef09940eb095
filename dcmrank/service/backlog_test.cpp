#include "dcmrank/service/backlog.h"

#include <gtest/gtest.h>

namespace dcmrank::service {
namespace {

Shown shown(std::uint64_t number, const std::string& id = "") {
  Shown result;
  result.impression.number = number;
  result.impression.id = id;
  return result;
}

std::vector<Shown> lists(std::uint64_t from, std::uint64_t to) {
  std::vector<Shown> result;
  for (std::uint64_t n = from; n <= to; ++n) result.push_back(shown(n));
  return result;
}

std::vector<std::uint64_t> numbers(const std::vector<Shown>& lists) {
  std::vector<std::uint64_t> result;
  for (const Shown& one : lists) result.push_back(one.impression.number);
  return result;
}

std::vector<Feedback> about(const std::vector<std::string>& impressions) {
  std::vector<Feedback> result(1);
  for (const std::string& id : impressions) {
    Event event;
    event.impression = id;
    result[0].events.push_back(event);
  }
  return result;
}

using Numbers = std::vector<std::uint64_t>;

TEST(Backlog, GivesListsInTheOrderInWhichTheyCame) {
  Backlog backlog;
  backlog.add(lists(1, 3));
  backlog.add(lists(4, 5));
  EXPECT_EQ(backlog.size(), 5U);
  EXPECT_EQ(numbers(backlog.take(2, {})), (Numbers{1, 2}));
  EXPECT_EQ(numbers(backlog.take(9, {})), (Numbers{3, 4, 5}));
  EXPECT_TRUE(backlog.empty());
}

TEST(Backlog, GivesThoseThatEventsAreAboutBeforeTheirTurn) {
  Backlog backlog;
  backlog.add(lists(1, 5));
  std::vector<Shown> named;
  named.push_back(shown(6, "mine"));
  named.push_back(shown(7, "yours"));
  backlog.add(std::move(named));
  EXPECT_EQ(numbers(backlog.take(1, about({"mine", made_id(4, 9), "unknown"}))),
            (Numbers{1, 4, 6}));
  EXPECT_EQ(numbers(backlog.take(1, about({"mine", made_id(4, 9)}))), (Numbers{2}));
  EXPECT_EQ(numbers(backlog.take(9, {})), (Numbers{3, 5, 7}));
}

TEST(Backlog, GivesThoseThatSomebodyWaitsForBeforeTheirTurn) {
  Backlog backlog;
  auto some = lists(1, 4);
  some[2].done = [](const Reason&) {};
  backlog.add(std::move(some));
  EXPECT_EQ(numbers(backlog.take(1, {})), (Numbers{1, 3}));
}

TEST(Backlog, KnowsWhatWasPutBackAndWhatCameLater) {
  Backlog backlog;
  backlog.add(lists(1, 6));
  const auto events = about({made_id(3, 0)});
  auto taken = backlog.take(1, events);
  EXPECT_EQ(numbers(taken), (Numbers{1, 3}));
  const auto end = backlog.end();
  backlog.put_back(std::move(taken));
  EXPECT_EQ(backlog.end(), end);
  EXPECT_EQ(backlog.size(), 6U);
  EXPECT_EQ(numbers(backlog.take(0, events)), (Numbers{3}));
  backlog.add(lists(7, 8));
  EXPECT_EQ(numbers(backlog.take(0, about({made_id(8, 0)}))), (Numbers{8}));
  EXPECT_EQ(numbers(backlog.take(6, {})), (Numbers{1, 2, 4, 5, 6, 7}));
  EXPECT_EQ(backlog.first(), backlog.end());
}

TEST(Backlog, FirstIsBehindAPlaceOnceAllBeforeItAreGone) {
  Backlog backlog;
  backlog.add(lists(1, 3));
  const auto place = backlog.end();
  backlog.add(lists(4, 5));
  backlog.take(0, about({made_id(2, 0)}));
  backlog.take(1, {});
  EXPECT_LT(backlog.first(), place);
  backlog.take(1, {});
  EXPECT_EQ(backlog.first(), place);
}

}  // namespace
}  // namespace dcmrank::service
