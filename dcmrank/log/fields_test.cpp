#include "dcmrank/log/fields.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dcmrank/base/text.h"
#include "dcmrank/log/utf8.h"
#include "dcmrank/random/rng.h"

namespace dcmrank {
namespace {

TEST(Fields, AreThoseOfThePlainSplit) {
  Rng rng(1);
  std::vector<std::string_view> fields;
  for (int round = 0; round < 5000; ++round) {
    std::string text(rng.below(70), 'x');
    for (char& c : text) c = rng.below(4) == 0 ? '\t' : static_cast<char>('a' + rng.below(3));
    split_fields(text, '\t', fields);
    EXPECT_EQ(fields, split(text, '\t')) << text;
    std::string_view rest = text;
    std::string_view field;
    const bool found = cut_field(rest, '\t', field);
    EXPECT_EQ(found, text.find('\t') != std::string::npos);
    if (found) {
      EXPECT_EQ(field, fields[0]);
    }
  }
}

TEST(Utf8, AcceptsWellFormedTextAlone) {
  EXPECT_TRUE(is_utf8("plain"));
  EXPECT_TRUE(is_utf8("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x99\x82 \xf4\x8f\xbf\xbf"));
  for (const char* wrong :
       {"\x80", "\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80",
        "\xf4\x90\x80\x80", "\xf0\x80\x80\x80", "\xe2\x82", "\xff"}) {
    EXPECT_FALSE(is_utf8(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace dcmrank
