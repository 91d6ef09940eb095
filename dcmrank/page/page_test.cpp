#include "dcmrank/page/page.h"

#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dcmrank/random/rng.h"

namespace dcmrank {
namespace {

// Long ids that differ, and short ones: in lists of any length, twice at any two places.
TEST(RepeatedItems, AreFoundWhereverTheyAre) {
  Rng rng(1);
  for (int round = 0; round < 20'000; ++round) {
    const std::size_t size = 1 + rng.below(round % 10 == 0 ? 100 : 20);
    std::set<std::string> names;
    while (names.size() < size) {
      const std::string name = std::to_string(rng.below(100'000));
      names.insert(rng.below(8) == 0 ? "an id of more than two words " + name : name);
    }
    std::vector<std::string> list(names.begin(), names.end());
    std::vector<Id> items(list.begin(), list.end());
    ASSERT_FALSE(has_repeated_item(items));
    if (size == 1) continue;
    const std::size_t first = rng.below(size);
    const std::size_t second = (first + 1 + rng.below(size - 1)) % size;
    items[first] = Id(list[second]);
    ASSERT_TRUE(has_repeated_item(items));
  }
}

TEST(Page, FindsWhatIsClickedInListsOfEverySize) {
  for (std::size_t size = 1; size <= 40; ++size) {
    Page page;
    page.start("");
    std::vector<std::string> names;
    for (std::size_t k = 0; k < size; ++k) {
      names.push_back(std::string(k % 3 == 0 ? 20 : 1, 'x') + std::to_string(k));
    }
    for (const std::string& name : names) ASSERT_FALSE(page.add_item(name));
    ASSERT_FALSE(page.finish_list());
    EXPECT_EQ(page.click("x"), Skip::kClickNotShown);
    for (std::size_t k = 0; k < size; ++k) {
      EXPECT_FALSE(page.click(names[k]));
      EXPECT_EQ(page.click(names[k]), Skip::kRepeatedClick);
      const Clicks clicks = page.impression().clicks;
      ASSERT_EQ(clicks.size(), size);
      for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(clicks[i], i <= k ? 1 : 0);
    }
  }
}

// A parser of somebody else forgot what finish_list returns, or to call it.
TEST(Page, RefusesAClickOnAListThatIsNotFinished) {
  Page page;
  page.start("aba");
  EXPECT_FALSE(page.add_item(page.text().substr(0, 1)));
  EXPECT_THROW(page.click("a"), std::logic_error);
  EXPECT_FALSE(page.add_item(page.text().substr(1, 1)));
  EXPECT_FALSE(page.add_item(page.text().substr(2, 1)));
  EXPECT_EQ(page.finish_list(), Skip::kRepeatedItem);
  EXPECT_THROW(page.click("b"), std::logic_error);
}

TEST(Impression, HasItemsAndAsManyClicks) {
  const std::vector<Id> items{Id("a"), Id("b")};
  const std::vector<std::uint8_t> clicks{1, 0, 0};
  const auto page = [&](std::size_t shown, std::size_t seen) {
    return Impression{Id("q"), std::span(items).first(shown), std::span(clicks).first(seen)};
  };
  EXPECT_NO_THROW(hash_of(page(2, 2)));
  EXPECT_THROW(hash_of(page(0, 0)), std::logic_error);
  EXPECT_THROW(hash_of(page(2, 1)), std::logic_error);
  EXPECT_THROW(hash_of(page(2, 3)), std::logic_error);
  const std::vector<Impression> several{page(2, 2), page(2, 2), page(2, 1), page(2, 2)};
  EXPECT_THROW(sum_of_hashes(several), std::logic_error);
}

}  // namespace
}  // namespace dcmrank
