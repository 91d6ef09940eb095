#include "dcmrank/plot/letters.h"

#include <gtest/gtest.h>

namespace dcmrank {
namespace {

TEST(Letters, AreCountedAndNotTheirBytes) {
  EXPECT_EQ(count_letters("τ = 0.05"), 8U);
  EXPECT_EQ(count_letters(""), 0U);
}

TEST(Letters, AreAsWideAsInAProportionalFont) {
  EXPECT_LT(text_width("illicit"), 0.5 * text_width("MMMMMMM"));
  EXPECT_NEAR(text_width("Softmax (τ = 0.05)"), 9.6, 0.1);  // 18 letters
  EXPECT_EQ(text_width("e\u0301"), text_width("e"));
  EXPECT_EQ(text_width("中"), 1);
}

}  // namespace
}  // namespace dcmrank
