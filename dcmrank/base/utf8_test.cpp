#include "dcmrank/base/utf8.h"

#include <gtest/gtest.h>

namespace dcmrank {
namespace {

TEST(Utf8, AcceptsWellFormedTextAlone) {
  EXPECT_TRUE(is_utf8("plain"));
  EXPECT_TRUE(is_utf8("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x99\x82 \xf4\x8f\xbf\xbf"));
  for (const char* wrong :
       {"\x80", "\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80",
        "\xf4\x90\x80\x80", "\xf0\x80\x80\x80", "\xe2\x82", "\xff"}) {
    EXPECT_FALSE(is_utf8(wrong)) << wrong;
  }
}

TEST(Utf8, IsPrintedWithoutWhatATerminalObeys) {
  EXPECT_EQ(printable("a\x1b[31m\x7f\n"), "a\\x1b[31m\\x7f\\x0a");
  EXPECT_EQ(printable("\x9b"
                      "3\xc2\x9b"
                      "1"),
            "\\x9b3\\xc2\\x9b1");
  EXPECT_EQ(printable("\xc2\xa0\xc3\xa9\xe2\x82\xac"), "\xc2\xa0\xc3\xa9\xe2\x82\xac");
}

}  // namespace
}  // namespace dcmrank
