#include "dcmrank/fit/counts_table.h"

#include <array>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dcmrank/random/rng.h"

namespace dcmrank {
namespace {

constexpr std::size_t kItems = 80;  // more than a word has bits

// Pages of one query, and the same counted in the obvious way.
class RandomPages {
 public:
  RandomPages() {
    for (std::size_t k = 0; k < kItems; ++k) names_.push_back(std::to_string(k));
    for (const std::string& name : names_) ids_.emplace_back(name);
  }

  void add(CountsTable& table, Rng& rng) {
    const auto clicks = random_clicks(rng);
    std::vector<std::uint32_t> numbers;
    table.add(page(clicks), numbers);
    count(clicks);
  }

  void add_several(CountsTable& table, Rng& rng) {
    std::vector<std::vector<std::uint8_t>> clicks(1 + rng.below(ImpressionSink::kMostTogether));
    std::vector<Impression> pages;
    for (auto& of_page : clicks) {
      of_page = random_clicks(rng);
      pages.push_back(page(of_page));
      count(of_page);
    }
    table.add_several(pages);
  }

  void expect_in(const CountsTable& table) const {
    const std::uint32_t query = table.query_ids().find(0, Id("query"));
    ASSERT_NE(query, Interner::kAbsent);
    EXPECT_EQ(table.of_query(query), query_);
    EXPECT_EQ(table.impressions_of_query(query), query_.impressions);
    for (std::size_t k = 0; k < kItems; ++k) {
      const std::uint32_t item = table.item_ids().find(query, ids_[k]);
      ASSERT_NE(item, Interner::kAbsent);
      EXPECT_EQ(table.of_item(item), items_[k]);
      EXPECT_EQ(table.impressions_of_item(item), items_[k].impressions);
    }
  }

 private:
  // Mostly of short lists, and with clicks of any number but 0.
  static std::vector<std::uint8_t> random_clicks(Rng& rng) {
    std::vector<std::uint8_t> clicks(1 + rng.below(rng.below(20) == 0 ? kItems : 12));
    for (auto& click : clicks) {
      click = rng.below(6) == 0 ? static_cast<std::uint8_t>(1 + rng.below(255)) : 0;
    }
    return clicks;
  }
  Impression page(const std::vector<std::uint8_t>& clicks) const {
    return {Id("query"), std::span(ids_).first(clicks.size()), clicks};
  }

  void count(Clicks clicks) {
    std::size_t first = 0;
    const std::size_t last = last_click(clicks);
    for (std::size_t k = clicks.size(); k > 0; --k) first = clicks[k - 1] != 0 ? k : first;
    query_.impressions += 1;
    if (query_.positions.size() < clicks.size()) query_.positions.resize(clicks.size());
    for (std::size_t k = 0; k < clicks.size(); ++k) {
      const double clicked = clicks[k] != 0 ? 1 : 0;
      const double is_last = k + 1 == last ? 1 : 0;
      const double is_end = is_last != 0 && last == clicks.size() ? 1 : 0;
      query_.positions[k].merge({1, clicked, is_last, is_end});
      const bool seen = last == 0 || k < last;
      const bool cascade = first == 0 || k < first;
      items_[k].merge(
          {{seen ? 1.0 : 0, clicked}, {cascade ? 1.0 : 0, k + 1 == first ? 1.0 : 0}, 1, is_last});
    }
  }

  std::vector<std::string> names_;
  std::vector<Id> ids_;
  QueryCounts query_;
  std::array<ItemCounts, kItems> items_;
};

// Far beyond what the small counters hold.
TEST(CountsTable, CountsExactlyHoweverOften) {
  Rng rng(1);
  CountsTable table;
  RandomPages recount;
  for (int page = 0; page < 200'000; ++page) recount.add(table, rng);
  recount.expect_in(table);
}

TEST(CountsTable, CountsSeveralPagesAtOnceExactlyHoweverOften) {
  Rng rng(3);
  CountsTable table;
  RandomPages recount;
  for (int round = 0; round < 20'000; ++round) recount.add_several(table, rng);
  recount.expect_in(table);
}

TEST(CountsTable, MergesExactlyHoweverOften) {
  Rng rng(2);
  CountsTable all;
  RandomPages recount;
  for (const int pages : {10, 20'000, 15'000, 40'000, 1, 70'000, 14'000}) {
    CountsTable part;
    for (int page = 0; page < pages; ++page) recount.add(part, rng);
    all.merge(part);
  }
  recount.expect_in(all);
}

// A list that is remembered for one table is not mistaken for one of another.
TEST(CountsTable, RemembersListsForItselfAlone) {
  CountsTable first;
  CountsTable second;
  std::vector<std::uint32_t> numbers;
  const std::vector<Id> other{Id("x"), Id("y")};
  const std::vector<std::uint8_t> none(2);
  second.add({Id("other"), other, none}, numbers);  // so that numbers differ
  const std::vector<Id> items{Id("a"), Id("b")};
  const std::vector<std::uint8_t> clicks{0, 1};
  ListMemory memory;
  for (int round = 0; round < 5; ++round) {
    first.add({Id("query"), items, clicks, 0, &memory}, numbers);
    EXPECT_EQ(numbers, (std::vector<std::uint32_t>{0, 1}));
    second.add({Id("query"), items, clicks, 0, &memory}, numbers);
    EXPECT_EQ(numbers, (std::vector<std::uint32_t>{2, 3}));
  }
  CountsTable moved = std::move(first);
  moved.add({Id("query"), items, clicks, 0, &memory}, numbers);
  EXPECT_EQ(moved.impressions_of_item(numbers[1]), 6);
  first = CountsTable();
  first.add({Id("query"), items, clicks, 0, &memory}, numbers);
  EXPECT_EQ(first.impressions_of_item(numbers[1]), 1);
  EXPECT_EQ(second.of_item(3).prefix.attracted, 5);
}

}  // namespace
}  // namespace dcmrank
