#include "dcmrank/index/kl_ucb_batch.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include "dcmrank/index/kl_ucb.h"
#include "dcmrank/index/kl_ucb_lines.h"
#include "dcmrank/index/paper_budgets.h"
#include "dcmrank/random/rng.h"

namespace dcmrank {
namespace {

// Runs the test body with each instruction set that this machine and this program have.
template <class Body>
void for_each_target(Body body) {
  for (const auto target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(target);
    SCOPED_TRACE(hwy::TargetName(target));
    body();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

Counts some_counts(Rng& rng) {
  const double observed = std::floor(std::exp(14 * rng.uniform()));
  switch (rng.below(5)) {
    case 0:
      return {observed, 0};
    case 1:
      return {observed, observed};
    case 2:
      return {observed + rng.uniform(), observed * rng.uniform()};
    case 3:
      return {0, 0};
    default:
      return {observed, std::floor((observed + 1) * rng.uniform())};
  }
}

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

TEST(KlUcbBatch, FindsTangentsThatBoundTheIndexFromBothSides) {
  for_each_target([] {
    Rng rng(2);
    KlUcbBatch batch;
    int found = 0;
    for (int n = 0; n < 1000; ++n) {
      fill(batch, 1 + rng.below(12), rng);
      find_indices(batch);
      for (std::size_t i = 0; i < batch.size; ++i) {
        const double off = batch.q[i] + 0.02 * (rng.uniform() - .5);
        batch.q[i] = off > 0 && off < 1 ? off : batch.q[i];
        batch.log_q[i] = std::log(batch.q[i]);
        batch.log_rest[i] = std::log1p(-batch.q[i]);
      }
      find_tangents(batch);
      for (std::size_t i = 0; i < batch.size; ++i) {
        if (batch.error[i] > 1e-11) continue;
        ++found;
        for (const double more : {-0.5, 0.0, 1e-3, 0.1, 3.0}) {
          const double budget = batch.budget[i] + more;
          if (budget <= 0) continue;
          const double index = kl_ucb({batch.observed[i], batch.attracted[i]}, budget);
          const double up = batch.height[i] + more * batch.slope[i];
          const double x = up - batch.q[i];
          ASSERT_LE(index, up + 1e-11);
          if (batch.curvature[i] * std::abs(x) > 0.125) continue;
          ASSERT_GE(index, up - batch.curvature[i] * x * x - 1e-11);
        }
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

// An index whose budget is its clock.
struct FixedBudget {
  double at;
  double clock() const { return at; }
  double budget(const Counts& /*counts*/) const { return at; }
};

TEST(KlUcbLines, BoundTheIndexAtAllLaterBudgets) {
  Rng rng(3);
  KlUcbLines lines(1);
  const std::vector<KlUcbLines::Entry> entry{0};
  for (int n = 0; n < 20000; ++n) {
    const Counts counts = some_counts(rng);
    const FixedBudget start{20 * rng.uniform()};
    lines.refresh(entry, start, [&](auto) -> const Counts& { return counts; });
    for (const double more : {0.0, 1e-3, 0.1, 1.0, 10.0}) {
      const double index = kl_ucb(counts, start.at + more);
      const double upper = lines.upper(0, start.at + more);
      ASSERT_GE(upper, index);
      ASSERT_LE(lines.lower(0, upper), index);
      if (more > 0 || index > 1 - 1e-9) continue;
      ASSERT_LT(upper - lines.lower(0, upper), 1e-7);
    }
  }
}

}  // namespace
}  // namespace dcmrank
