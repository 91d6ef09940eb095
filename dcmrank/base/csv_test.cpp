#include "dcmrank/base/csv.h"

#include <cmath>

#include <gtest/gtest.h>

namespace dcmrank {
namespace {

TEST(Csv, QuotesOnlyWhatHasToBe) {
  EXPECT_EQ(to_csv({{"a", "b c"}, {{"x,y", "say \"no\""}, {"", 1.5}}}),
            "a,b c\n\"x,y\",\"say \"\"no\"\"\"\n,1.5\n");
}

TEST(Csv, WritesEveryDigitOfAWholeNumberAndLeavesAMissingValueEmpty) {
  EXPECT_EQ(to_csv({{"id", "n", "x"}, {{"007", std::uint64_t{9007199254740993}, NAN}}}),
            "id,n,x\n007,9007199254740993,\n");
  EXPECT_EQ(to_csv({{"x"}, {{0.1}, {2.0}, {1e300}}}), "x\n0.1\n2\n1e+300\n");
}

}  // namespace
}  // namespace dcmrank
