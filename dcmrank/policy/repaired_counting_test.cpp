#include <vector>

#include <gtest/gtest.h>

#include "dcmrank/policy/counting.h"
#include "dcmrank/random/rng.h"

namespace dcmrank {
namespace {

const std::vector<Item> kList{3, 1, 0, 2};

TEST(RepairedCounting, IsThePapersWhereNothingIsInDoubt) {
  for (const std::vector<std::uint8_t>& clicks :
       {std::vector<std::uint8_t>{0, 0, 0, 0}, {0, 1, 0, 1}, {}, {0}, {1}, {0, 1}}) {
    EXPECT_FALSE(SeenPage(kList, clicks).leaves_doubt);
    std::vector<Counts> paper(4);
    std::vector<Counts> repaired(4);
    count(Counting::kPrefix, SeenPage(kList, clicks), paper);
    count(Counting::kEm, SeenPage(kList, clicks), repaired);
    std::vector<Doubt> doubts(4);
    count_below(Counting::kEm, .7, SeenPage(kList, clicks), repaired, doubts);
    EXPECT_EQ(repaired, paper);
  }
}

TEST(RepairedCounting, CountsWhatIsBelowTheLastClickByItsProbability) {
  const std::vector<std::uint8_t> clicks{0, 1, 0, 0};
  std::vector<Counts> counts(4);
  count(Counting::kEm, SeenPage(kList, clicks), counts);
  std::vector<Doubt> doubts(4);
  count_below(Counting::kEm, .25, SeenPage(kList, clicks), counts, doubts);
  EXPECT_EQ(counts[3], (Counts{1, 0}));
  EXPECT_EQ(counts[1], (Counts{1, 1}));
  EXPECT_EQ(counts[0], (Counts{.75, 0}));
  EXPECT_EQ(counts[2], (Counts{.75, 0}));
}

// The belief moves by n^-5/8, what is counted by 4 / n towards it.
TEST(RevisedCounting, LetsEarlierPagesFollowTheBelief) {
  Doubt doubt;
  double sum = 0;
  for (int page = 0; page < 255; ++page) sum += enter_revising(doubt, .5);
  sum += enter_revising(doubt, .9);
  EXPECT_EQ(doubt.pages, 256);
  EXPECT_NEAR(doubt.weight, sum, 1e-12);
  EXPECT_NEAR(doubt.believed / 256, .5 + .4 / 32, 1e-12);  // 256^(5/8) = 32
  EXPECT_NEAR(doubt.weight / 256, .5 + (4 / 256.0) * .4 / 32, 1e-12);
}

// A belief that was wrong for a tenth of the pages is forgotten; a plain sum keeps it.
TEST(RevisedCounting, ForgetsWhatWasWronglyBelievedAtFirst) {
  Doubt plain;
  Doubt revised;
  for (int page = 0; page < 10000; ++page) {
    enter(plain, page < 1000 ? .9 : .1);
    enter_revising(revised, page < 1000 ? .9 : .1);
  }
  EXPECT_NEAR(plain.weight / 10000, .18, 1e-12);
  EXPECT_NEAR(revised.weight / 10000, .1, 1e-3);
  EXPECT_NEAR(revised.believed / 10000, .1, 1e-6);
}

TEST(RevisedCounting, JudgesByWhatItBelievesNowAndPlainEmByWhatItCounted) {
  const Counts counts{10, 3};
  const Doubt doubt{8, 5, 2};
  EXPECT_EQ(judged_by(Counting::kRevisedEm, counts, doubt), (Counts{7, 3}));
  EXPECT_EQ(judged_by(Counting::kEm, counts, doubt), counts);
  const TerminationCounts positions{9, 5};
  EXPECT_EQ(judged_by(Counting::kRevisedEm, positions, doubt), (TerminationCounts{9, 2}));
}

TEST(RevisedCounting, KeepsTheAverageWeightAProbability) {
  Rng rng(1);
  Doubt doubt;
  for (int i = 0; i < 10000; ++i) {
    enter_revising(doubt, rng.uniform() < .5 ? 0 : 1);
    ASSERT_GE(doubt.weight, 0);
    ASSERT_LE(doubt.weight, doubt.pages);
    ASSERT_GE(doubt.believed, 0);
    ASSERT_LE(doubt.believed, doubt.pages * (1 + 1e-12));
  }
}

TEST(RepairedCounting, AddsTheWeightItself) {
  Doubt doubt;
  for (const double weight : {.2, .7, .1}) EXPECT_DOUBLE_EQ(enter(doubt, weight), weight);
  EXPECT_DOUBLE_EQ(doubt.weight, 1);
}

// Bayes by hand: the user stopped at the click (v), or went on and was not attracted by the rest.
TEST(StopProbability, IsBayesRule) {
  EXPECT_DOUBLE_EQ(stop_probability(.5, .5), .5 / (.5 + .5 * .5));
  EXPECT_DOUBLE_EQ(stop_probability(0, .5), 0);
  EXPECT_DOUBLE_EQ(stop_probability(1, .5), 1);
  EXPECT_DOUBLE_EQ(stop_probability(.3, 0), 1);
  EXPECT_DOUBLE_EQ(stop_probability(0, 0), 0);  // impossible under the model, but not NaN
}

TEST(StopProbability, TakesOnlyWhatIsOnTheScreenBelowTheLastClick) {
  std::vector<Counts> counts(4);
  counts[0] = {8, 4};  // posterior mean .5
  counts[2] = {8, 1};  // .2
  const double v = .4;
  const auto q = [&](const std::vector<std::uint8_t>& clicks) {
    return stop_probability(Counting::kEm, v, SeenPage(kList, clicks), counts,
                            std::vector<Doubt>(4));
  };
  EXPECT_DOUBLE_EQ(q({0, 1, 0, 0}), stop_probability(v, .5 * .8));
  EXPECT_DOUBLE_EQ(q({0, 1, 0}), stop_probability(v, .5));
  EXPECT_DOUBLE_EQ(q({1, 0, 1, 0}), stop_probability(v, .8));
}

// With the raw mean this item would have none_below = 0, hence q = 1, for ever.
TEST(StopProbability, CorrectsAnItemClickedInItsOnlyObservation) {
  std::vector<Counts> counts(4, Counts{1, 1});
  const std::vector<Doubt> doubts(4);
  const std::vector<std::uint8_t> clicks{1, 0};
  EXPECT_LT(stop_probability(Counting::kEm, .5, SeenPage(kList, clicks), counts, doubts), 1);
}

// With q = .25.
void teach_terminations(const std::vector<std::uint8_t>& clicks,
                        std::vector<TerminationCounts>& counts, std::vector<Doubt>& doubts) {
  count_terminations(Counting::kEm, .25, SeenPage(kList, clicks), counts, doubts);
}

TEST(Terminations, AreCountedAtEveryClickWithSomethingBelow) {
  std::vector<TerminationCounts> counts(4);
  std::vector<Doubt> doubts(4);
  teach_terminations({1, 1, 0, 0}, counts, doubts);
  EXPECT_EQ(counts, (std::vector<TerminationCounts>{{1, 0}, {1, .25}, {0, 0}, {0, 0}}));
}

TEST(Terminations, AreNotTaughtByAClickAtTheEndOfTheScreen) {
  std::vector<TerminationCounts> counts(4);
  std::vector<Doubt> doubts(4);
  teach_terminations({1, 0, 0, 1}, counts, doubts);
  teach_terminations({0, 1}, counts, doubts);
  teach_terminations({0, 0, 0, 0}, counts, doubts);
  teach_terminations({}, counts, doubts);
  EXPECT_EQ(counts, (std::vector<TerminationCounts>{{1, 0}, {0, 0}, {0, 0}, {0, 0}}));
}

}  // namespace
}  // namespace dcmrank
