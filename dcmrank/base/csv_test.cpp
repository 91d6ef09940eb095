#include "dcmrank/base/csv.h"

#include <gtest/gtest.h>

namespace dcmrank {
namespace {

TEST(Csv, QuotesOnlyWhatHasToBe) {
  EXPECT_EQ(to_csv({{"a", "b c"}, {"x,y", "say \"no\""}, {"", "1.5"}}),
            "a,b c\n\"x,y\",\"say \"\"no\"\"\"\n,1.5\n");
}

}  // namespace
}  // namespace dcmrank
