#include "dcmrank/plot/clip.h"

#include <gtest/gtest.h>

namespace dcmrank::gnuplot {
namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();

Window window(const Range& x, const Range& y) { return {x, y, false, false}; }

void expect_piece(const BandPiece& piece, const BandPiece& expected) {
  ASSERT_EQ(piece.size(), expected.size());
  for (std::size_t i = 0; i < piece.size(); ++i) {
    EXPECT_NEAR(piece[i].x, expected[i].x, 1e-9) << i;
    EXPECT_NEAR(piece[i].low, expected[i].low, 1e-9) << i;
    EXPECT_NEAR(piece[i].high, expected[i].high, 1e-9) << i;
  }
}

TEST(ClippedBand, EndsWhereItLeavesTheAxes) {
  const Series line{"a", {0, 10}, {1, 11}, {1, 1}};  // from 0..2 to 10..12
  const auto pieces = clipped_band(line, window({-kFar, kFar}, {0, 6}));
  ASSERT_EQ(pieces.size(), 1U);
  expect_piece(pieces[0], {{0, 0, 2}, {4, 4, 6}, {6, 6, 6}});
}

TEST(ClippedBand, IsCutAtBothEndsOfTheXAxis) {
  const Series line{"a", {0, 10}, {5, 5}, {1, 1}};
  const auto pieces = clipped_band(line, window({2, 3}, {0, kFar}));
  ASSERT_EQ(pieces.size(), 1U);
  expect_piece(pieces[0], {{2, 4, 6}, {3, 4, 6}});
}

TEST(ClippedBand, HasAPieceForEveryVisit) {
  const Series line{"a", {0, 1, 2}, {1, 9, 1}, {1, 1, 1}};
  const auto pieces = clipped_band(line, window({-kFar, kFar}, {0, 4}));
  ASSERT_EQ(pieces.size(), 2U);
  EXPECT_NEAR(pieces[0].back().x, 0.5, 1e-9);
  EXPECT_NEAR(pieces[1].front().x, 1.5, 1e-9);
}

TEST(ClippedBand, IsStraightOnLogarithmicAxes) {
  const Series line{"a", {1, 100}, {0, 2}, {0, 0}};
  Window log{{-kFar, kFar}, {-1, 1}, true, false};
  const Series wide{"a", {1, 100}, {0, 2}, {.5, .5}};
  const auto pieces = clipped_band(wide, log);
  ASSERT_EQ(pieces.size(), 1U);
  EXPECT_NEAR(pieces[0].back().x, std::pow(10, 1.5), 1e-9);  // where low is 1
  EXPECT_TRUE(clipped_band(line, {{1000, 2000}, {0, 1}, true, false}).empty());
  const auto to_zero =
      clipped_band({"a", {1, 2}, {2, 2}, {3, 3}}, {{-kFar, kFar}, {.1, 10}, false, true});
  ASSERT_EQ(to_zero.size(), 1U);
  expect_piece(to_zero[0], {{1, .1, 5}, {2, .1, 5}});
}

TEST(ClippedBand, IsItselfWhereAllOfItIsSeen) {
  const Series line{"a", {0, 1}, {1, 2}, {1, 1}};
  EXPECT_TRUE(is_inside(line, window({0, 1}, {0, 3})));
  EXPECT_FALSE(is_inside(line, window({0, 1}, {0, 2.9})));
  EXPECT_FALSE(is_inside(line, window({0, .9}, {0, 3})));
}

TEST(ClippedBars, AreThoseOfPointsThatAreSeen) {
  const Series points{"a", {0, 1, 2}, {1, 5, 5}, {1, 2, 0}, Style::kPoints};
  expect_piece(clipped_bars(points, window({-kFar, kFar}, {0, 4})), {{0, 0, 2}, {1, 3, 4}});
}

}  // namespace
}  // namespace dcmrank::gnuplot
