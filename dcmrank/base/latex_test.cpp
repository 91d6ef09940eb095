#include "dcmrank/base/latex.h"

#include <gtest/gtest.h>

namespace dcmrank {
namespace {

TEST(Latex, EscapesWhatWouldBeACommand) {
  EXPECT_EQ(latex("dcm_ts & 5 % of {x}"), "dcm\\_ts \\& 5 \\% of \\{x\\}");
  EXPECT_EQ(latex("a\\b~c^d#$"),
            "a\\textbackslash{}b\\textasciitilde{}c\\textasciicircum{}d\\#\\$");
}

TEST(Latex, SetsGreekLettersAndSignsAsMathematics) {
  EXPECT_EQ(latex("γ ≤ 0.5 ± Δ"), "$\\gamma$ $\\leq$ 0.5 $\\pm$ $\\Delta$");
  EXPECT_EQ(latex("√n at n = 10⁴, v₂"), "$\\surd$n at n = 10$^{4}$, v$_{2}$");
  EXPECT_EQ(latex("Größe"), "Größe");
}

TEST(Latex, SetsStraightQuotesAsThoseThatOpenAndClose) {
  EXPECT_EQ(latex("\"Times the best\" is (\"-\") there"), "``Times the best'' is (``-'') there");
}

}  // namespace
}  // namespace dcmrank
