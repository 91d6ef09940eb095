#include "dcmrank/browsing/shared_examination.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "dcmrank/policy/served_rows_test.h"

namespace dcmrank {
namespace {

// The covariance of the doubts, made from the root of its inverse.
TEST(SharedExamination, SpreadsAsTheFitDoubts) {
  Rows rows = nothing();
  for (const ShownPage& page : random_pages(300)) add_rows(rows, added(rows, page), 1);
  SeenTable table(5);
  table.clear(7);
  for (Item e = 0; e < 7; ++e) table.put(e, rows[e]);
  BrowsingFit found;
  fit(table, 1, found);
  const SharedExamination shared(found);
  constexpr std::size_t kSize = 4;
  for (std::size_t i = 0; i < kSize; ++i) {
    // (L^T R) (L^T R)^T = 1
    for (std::size_t j = 0; j < kSize; ++j) {
      double product = 0;
      for (std::size_t l = 0; l < kSize; ++l) {
        double of_i = 0;
        double of_j = 0;
        for (std::size_t m = 0; m < kSize; ++m) {
          const auto spread = [&](std::size_t row) {
            return row <= m ? shared.spread[contexts_above(m) + row] : 0;
          };
          of_i += spread(i) * found.root[m * kSize + l];
          of_j += spread(j) * found.root[m * kSize + l];
        }
        product += of_i * of_j;
      }
      EXPECT_NEAR(product, i == j ? 1 : 0, 1e-9);
    }
  }
  std::vector<double> x{0, 1, 0, 0};
  shared.spread_out(x);
  EXPECT_EQ(x[0], 0);
  EXPECT_EQ(x[1], shared.spread[2]);
  EXPECT_EQ(x[3], shared.spread[7]);
}

TEST(SharedExamination, IsTakenFromRowsOfFewerOrMorePositions) {
  Rows rows = nothing();
  for (const ShownPage& page : random_pages(300)) add_rows(rows, added(rows, page), 1);
  rows.resize(15);  // as many items as positions, at least
  OpenBrowsing few(top_down(10));
  OpenBrowsing more(top_down(13));
  const auto scores = [&](OpenBrowsing& policy, std::span<const double> shared) {
    put_rows(policy, rows);
    policy.put_shared(shared);
    Rng rng(1);
    Ranking ranking;
    policy.rank(rng, ranking);
    std::vector<double> result;
    for (Item e = 0; e < 7; ++e) result.push_back(policy.score(e, 0));
    return result;
  };
  const auto shared = fit_shared(more, rows);
  ASSERT_EQ(shared.size(), more.shared_row());
  ASSERT_LT(few.shared_row(), more.shared_row());
  EXPECT_EQ(scores(few, shared), scores(few, std::span(shared).first(few.shared_row())));
  EXPECT_NE(scores(few, shared), scores(few, {}));
  // Of the positions below, more knows what it knows without rows.
  const auto beginning = std::span(shared).first(SharedExamination::row_size(3));
  auto filled = fit_shared(more, {});
  std::copy(beginning.begin(), beginning.end(), filled.begin());
  EXPECT_EQ(scores(more, beginning), scores(more, filled));
  EXPECT_NE(scores(more, beginning), scores(more, shared));
}

TEST(SharedExamination, IsForgottenWhenANewRequestBegins) {
  OpenBrowsing policy(top_down(2));
  policy.open(2);
  const double before = policy.estimate(0);
  policy.put_shared(fit_shared(policy, {{1000, 100, 500, 20, 500, 20}}));
  EXPECT_LT(policy.estimate(0), .2);
  policy.open(2);
  EXPECT_EQ(policy.estimate(0), before);
}

TEST(SharedExamination, TellsAttractionFromHowPositionsAreLookedAt) {
  OpenBrowsing policy(top_down(2));
  // Of two items that change places, the lower one is clicked half as often.
  const Rows rows{{5000, 2000, 3000, 600, 2000, 400}, {5000, 2000, 2000, 400, 3000, 600}};
  const auto shared = fit_shared(policy, rows);
  const std::vector<double> below{0, 0, 300, 60, 200, 40};
  policy.open(1);
  policy.put_item(0, below);
  EXPECT_NEAR(policy.estimate(0), .2, .01);
  policy.put_shared(shared);
  EXPECT_NEAR(policy.estimate(0), .4, .02);
}

}  // namespace
}  // namespace dcmrank
