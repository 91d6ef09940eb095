#include "dcmrank/page/known_pages.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace dcmrank {
namespace {

std::string padded(std::string text) { return text + std::string(kPadding, 'x'); }

// A page of the query "q" whose items are letters.
Page& show(KnownPages& pages, const std::string& letters, bool& known) {
  const std::string text = padded(letters);
  Page& page = pages.page_of({text.data(), letters.size()}, known);
  if (known) return page;
  EXPECT_FALSE(page.set_query("q"));
  for (std::size_t i = 0; i < letters.size(); ++i)
    EXPECT_FALSE(page.add_item(page.text().substr(i, 1)));
  const bool repeats = std::set<char>(letters.begin(), letters.end()).size() < letters.size();
  EXPECT_EQ(page.finish_list().has_value(), repeats);
  return page;
}

std::string items_of(const Impression& impression) {
  std::string items;
  for (const Id& id : impression.items) items += id.text;
  return items;
}

TEST(KnownPages, ShowAListAgainWithoutItsClicks) {
  KnownPages pages;
  bool known = true;
  EXPECT_FALSE(show(pages, "abc", known).click("b"));
  EXPECT_FALSE(known);
  EXPECT_EQ(pages.impression().clicks[1], 1);
  EXPECT_EQ(show(pages, "abc", known).clicks(), 0U);
  EXPECT_TRUE(known);
  EXPECT_EQ(items_of(pages.impression()), "abc");
  EXPECT_EQ(pages.impression().clicks[1], 0);
}

TEST(KnownPages, DoNotKnowAListWithAFault) {
  KnownPages pages;
  bool known = true;
  show(pages, "aba", known);
  show(pages, "aba", known);
  EXPECT_FALSE(known);
}

TEST(KnownPages, ForgetWhatASinkRemembersOfAnotherList) {
  KnownPages pages;
  bool known = false;
  show(pages, "abc", known);
  ListMemory* const memory = pages.impression().memory;
  ASSERT_NE(memory, nullptr);
  *memory = {7, 1, {2, 3, 4}};
  show(pages, "abc", known);
  EXPECT_EQ(pages.impression().memory->owner, 7U);
  show(pages, "abd", known);
  EXPECT_NE(pages.impression().memory->owner, 7U);
}

// How many are known of far more lists than are kept: up to a round, three of four or one of two
// are often the same ten.
std::size_t count_known(std::uint64_t one_seldom_in, int rounds_with_often) {
  KnownPages pages;
  Rng rng(1);
  std::size_t found = 0;
  for (int round = 0; round < 60'000; ++round) {
    const bool often = round < rounds_with_often && rng.below(one_seldom_in) != 0;
    std::uint64_t number = rng.below(often ? 10 : 1U << 30U);
    std::string letters;
    for (char c = 'a'; c < 'n'; ++c, number /= 2)
      letters += number % 2 == 0 ? c : static_cast<char>(c - 'a' + 'A');
    bool known = false;
    show(pages, letters, known);
    found += known ? 1 : 0;
    EXPECT_EQ(items_of(pages.impression()), letters);
  }
  return found;
}

// Then hardly one comes again.
TEST(KnownPages, AreTheListsThatWereAskedFor) { EXPECT_GT(count_known(4, 30'000), 15'000U); }

// To read them is cheaper then.
TEST(KnownPages, AreSeldomLookedForWhereEveryOtherListIsNew) {
  EXPECT_LT(count_known(2, 60'000), 5'000U);
}

TEST(HashText, DependsOnEveryByteAndNotOnWhatFollows) {
  for (std::size_t size = 1; size < 150; ++size) {
    std::string text = padded(std::string(size, 'a'));
    const std::uint64_t hash = hash_text({text.data(), size});
    text[size] = 'y';
    EXPECT_EQ(hash_text({text.data(), size}), hash);
    EXPECT_NE(hash_text({text.data(), size - 1}), hash);
    for (std::size_t i = 0; i < size; ++i) {
      text[i] = 'b';
      EXPECT_NE(hash_text({text.data(), size}), hash);
      text[i] = 'a';
    }
  }
}

}  // namespace
}  // namespace dcmrank
