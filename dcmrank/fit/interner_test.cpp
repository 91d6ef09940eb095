#include "dcmrank/fit/interner.h"

#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace dcmrank {
namespace {

// Of every size around those that stand in an entry, with many more, so that the table grows.
TEST(Interner, KeepsTextsOfEverySizeInEveryScope) {
  Interner interner;
  std::vector<std::string> texts{""};
  for (std::size_t size = 1; size <= 40; ++size) texts.emplace_back(size, 'a');
  for (int n = 0; n < 1000; ++n) texts.push_back("an item of a long name " + std::to_string(n));
  for (const std::uint32_t scope : {7U, 8U}) {
    for (const std::string& text : texts) interner.intern(scope, Id(text));
  }
  ASSERT_EQ(interner.size(), 2 * texts.size());
  for (std::uint32_t n = 0; n < interner.size(); ++n) {
    const std::string& text = texts[n % texts.size()];
    EXPECT_EQ(interner.text(n), text);
    EXPECT_EQ(interner.find(n < texts.size() ? 7 : 8, Id(text)), n);
  }
  EXPECT_EQ(interner.find(9, Id("a")), Interner::kAbsent);
}

// Such bytes would be taken for the place of a long text.
TEST(Interner, RefusesAShortTextThatIsNoUtf8) {
  Interner interner;
  EXPECT_THROW(interner.intern(0, Id("fifteen letters\xff")), std::invalid_argument);
  EXPECT_EQ(interner.size(), 0U);
  EXPECT_EQ(interner.intern(0, Id("fourteen bytes\xff")), 0U);
  EXPECT_EQ(interner.text(0), "fourteen bytes\xff");
}

}  // namespace
}  // namespace dcmrank
