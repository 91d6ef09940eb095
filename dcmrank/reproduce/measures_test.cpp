#include "dcmrank/reproduce/measures.h"

#include <cmath>

#include <gtest/gtest.h>

#include "dcmrank/reproduce/page.h"

namespace dcmrank {
namespace {

TEST(Ratio, PropagatesTheErrors) {
  const Summary r = ratio({6, .3}, {2, .2});
  EXPECT_DOUBLE_EQ(r.mean, 3);
  EXPECT_DOUBLE_EQ(r.stderr_, 3 * std::hypot(.05, .1));
}

TEST(ClearlyBelow, AsksForTwoStandardErrorsOfTheDifference) {
  EXPECT_TRUE(clearly_below({1, .3}, {2.1, .4}));
  EXPECT_FALSE(clearly_below({1, .3}, {1.9, .4}));
  EXPECT_FALSE(clearly_below({2, 0}, {1, 0}));
}

TEST(FitLine, FindsALineAndHowWellItFits) {
  const std::vector<double> x{0, 1, 2, 3};
  const Line exact = fit_line(x, std::vector<double>{1, 3, 5, 7});
  EXPECT_DOUBLE_EQ(exact.intercept, 1);
  EXPECT_DOUBLE_EQ(exact.slope, 2);
  EXPECT_DOUBLE_EQ(exact.r_squared, 1);
  EXPECT_LT(fit_line(x, std::vector<double>{1, 5, 2, 7}).r_squared, 0.8);
}

TEST(Text, ShowsAValueWithItsError) {
  EXPECT_EQ(text({168.93, 2.71}), "168.9 ± 2.7");
  EXPECT_EQ(text({3.301, .042}), "3.30 ± 0.04");
}

TEST(Html, EscapesWhatIsMarkup) {
  EXPECT_EQ(html("a < b & \"c\""), "a &lt; b &amp; &quot;c&quot;");
}

}  // namespace
}  // namespace dcmrank
