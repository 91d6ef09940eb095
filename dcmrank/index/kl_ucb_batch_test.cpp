#include "dcmrank/index/kl_ucb_batch.h"

#include <cmath>

#include <gtest/gtest.h>

#include "dcmrank/index/index_test.h"
#include "dcmrank/index/kl_ucb.h"
#include "dcmrank/index/paper_budgets.h"
#include "dcmrank/random/rng.h"

namespace dcmrank {
namespace {

void fill(KlUcbBatch& batch, std::size_t size, Rng& rng) {
  batch.size = size;
  for (std::size_t i = 0; i < size; ++i) {
    const Counts counts = some_counts(rng);
    batch.observed[i] = counts.observed;
    batch.attracted[i] = counts.attracted;
    batch.budget[i] = rng.below(10) == 0 ? 0 : 30 * rng.uniform();
  }
}

TEST(KlUcbBatch, HasTheBitsOfTheSingleIndexWithEveryInstructionSet) {
  for_each_target([] {
    Rng rng(1);
    KlUcbBatch batch;
    for (int n = 0; n < 2000; ++n) {
      fill(batch, 1 + rng.below(KlUcbBatch::kRoom), rng);
      find_indices(batch);
      for (std::size_t i = 0; i < batch.size; ++i) {
        const Counts counts{batch.observed[i], batch.attracted[i]};
        ASSERT_EQ(batch.q[i], kl_ucb(counts, batch.budget[i]));
      }
    }
  });
}

TEST(KlUcbBatch, ApproachesTheIndexWithEveryInstructionSet) {
  for_each_target([] {
    Rng rng(2);
    KlUcbBatch batch;
    int found = 0;
    for (int n = 0; n < 1000; ++n) {
      fill(batch, 1 + rng.below(12), rng);
      find_indices(batch);
      const KlUcbBatch::Column indices = batch.q;
      for (std::size_t i = 0; i < batch.size; ++i) {
        const double off = batch.q[i] + 0.02 * (rng.uniform() - .5);
        batch.q[i] = off > 0 && off < 1 ? off : batch.q[i];
        batch.log_q[i] = std::log(batch.q[i]);
        batch.log_rest[i] = std::log1p(-batch.q[i]);
      }
      approach_indices(batch);
      for (std::size_t i = 0; i < batch.size; ++i) {
        if (batch.error[i] > 1e-11) continue;
        ++found;
        ASSERT_NEAR(batch.q[i], indices[i], 1e-4);
        ASSERT_NEAR(batch.log_q[i], std::log(batch.q[i]), 1e-14 * (1 - batch.log_q[i]));
        ASSERT_NEAR(batch.log_rest[i], std::log1p(-batch.q[i]), 1e-10 * (1 - batch.log_rest[i]));
      }
    }
    EXPECT_GT(found, 2000);
  });
}

TEST(PaperBudgets, AreThoseOfTheSingleRoundsWithEveryInstructionSet) {
  for_each_target([] {
    PaperBudgets budgets;
    for (std::uint64_t t = 1; t < 3000; ++t) ASSERT_EQ(budgets(t), paper_budget(t)) << t;
    for (const std::uint64_t t : {7ULL, 1000000ULL, 5ULL, 1ULL << 40}) {
      ASSERT_EQ(budgets(t), paper_budget(t)) << t;
    }
  });
}

}  // namespace
}  // namespace dcmrank
