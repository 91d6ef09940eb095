#include "dcmrank/terminal/table.h"

#include <gtest/gtest.h>

namespace dcmrank::command {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(LatexTable, SetsNumbersWithSignsAsMathematics) {
  const std::string text = latex_table({{"policy", "difference", "vs first", "net"},
                                        {"dcm-ts", "-7.17 ± 3.17", "1.00x", "-1.5 [2]*"},
                                        {"a_b", "-", "0.5x", "+3"}});
  EXPECT_TRUE(has(text, "dcm-ts & $-7.17 \\pm 3.17$ & $1.00\\times$ & $-1.5$ [2]* \\\\\n")) << text;
  EXPECT_TRUE(has(text, "a\\_b & -- & $0.5\\times$ & $+3$ \\\\\n")) << text;
}

TEST(LatexTable, HasItsNoteBelow) {
  EXPECT_TRUE(has(latex_table({{"a", "b"}, {"1", "2"}}, "5 % of γ"),
                  "\\end{tabular}\n\\par\\smallskip{\\footnotesize 5 \\% of $\\gamma$\\par}\n"));
}

TEST(LatexTable, SetsWordsToTheLeftAndNumbersToTheRight) {
  EXPECT_TRUE(has(latex_table({{"K", "policy", "regret", "difference"},
                               {"2", "dcm-ts", "5.1 ± 0.2", "-"},
                               {"4", "toprank", "51 ± 12", "+46 ± 12"}}),
                  "\\begin{tabular}{llrr}"));
}

TEST(LatexTable, GoesOverPagesWhereItIsLong) {
  std::vector<std::vector<std::string>> rows(45, {"1", "2"});
  EXPECT_TRUE(has(latex_table(rows), "\\begin{tabular}{lr}"));
  rows.push_back({"3", "4"});
  const std::string text = latex_table(rows);
  EXPECT_TRUE(has(text, "\\begin{longtable}{lr}\n\\toprule\n1 & 2 \\\\\n\\midrule\n\\endhead\n"));
  EXPECT_TRUE(has(text, "3 & 4 \\\\\n\\end{longtable}\n")) << text;
  EXPECT_FALSE(has(text, "tabular"));
}

}  // namespace
}  // namespace dcmrank::command
