#include "dcmrank/ledger/possible.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dcmrank/ledger/learner.h"
#include "dcmrank/random/rng.h"
#include "dcmrank/registry/spec.h"

namespace dcmrank::service {
namespace {

// A query as it is learned: pages come, are corrected, and are erased, in any order.
class Learned {
 public:
  explicit Learned(const std::string& policy)
      : spec_(parse_policy_spec(policy)), learner_(spec_, kPositions) {}

  void show(Rng& rng) {
    Shown& shown = pages_.emplace_back();
    std::vector<Candidate> candidates;
    for (const std::string& name : names_) candidates.push_back({name, id_hash(name), {}});
    learner_.take(state_, candidates, {}, 1);
    Ranking ranking;
    learner_.rank(rng, ranking);
    for (const Item e : ranking.items) shown.page.items.push_back(names_[e]);
    shown.page.gains = ranking.gains;
    for (const Item e : ranking.proposed) {
      const auto at = std::find(ranking.items.begin(), ranking.items.end(), e);
      shown.page.proposed.push_back(static_cast<Item>(at - ranking.items.begin()) % kPositions);
    }
    teach(shown, rng);
  }
  void correct(Rng& rng) { teach(pages_[rng.below(pages_.size())], rng); }
  void erase(Rng& rng) {
    const auto at = pages_.begin() + static_cast<std::ptrdiff_t>(rng.below(pages_.size()));
    take_back(*at);
    pages_.erase(at);
  }
  std::size_t pages() const { return pages_.size(); }
  std::string fault() const { return fault_of(sums_, family_of(spec_, kPositions)); }

 private:
  static constexpr std::size_t kPositions = 4;
  struct Shown {
    Page page;
    Contribution contribution;
  };
  void take_back(Shown& shown) {
    apply(state_, shown.page, shown.contribution, -1);
    sums_.add(shown.page, shown.contribution, -1);
  }
  void teach(Shown& shown, Rng& rng) {
    take_back(shown);
    std::vector<std::uint8_t> clicks(rng.below(kPositions + 1));
    for (auto& click : clicks) click = rng.below(3) == 0 ? 1 : 0;
    shown.contribution = learner_.learn(state_, shown.page, clicks);
    apply(state_, shown.page, shown.contribution, 1);
    sums_.add(shown.page, shown.contribution, 1);
  }

  PolicySpec spec_;
  Learner learner_;
  std::vector<std::string> names_{"a", "b", "c", "d", "e", "f"};
  std::vector<Shown> pages_;
  QueryState state_;
  QueryDelta sums_;
};

TEST(PossibleSums, AreAllThatIsEverLearned) {
  for (const std::string policy :
       {"ubm-ts", "dcm-ts", "dcm-ts:counting=em", "dcm-ts:counting=revised-em",
        "dcm-kl-ucb:counting=revised-em", "first-click", "last-click", "ranked-kl-ucb",
        "ranked-kl-ucb:duplicates=random", "ranked-exp3", "ranked-exp3:duplicates=random"}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Rng rng(seed);
      Learned learned(policy);
      for (int n = 0; n < 60; ++n) {
        learned.show(rng);
        if (rng.below(2) == 0) learned.correct(rng);
        if (rng.below(4) == 0) learned.erase(rng);
        ASSERT_EQ(learned.fault(), "") << policy << " " << seed << " " << n;
      }
      while (learned.pages() > 0) {  // the last ones were taught when there were many
        learned.erase(rng);
        ASSERT_EQ(learned.fault(), "") << policy << " " << seed << " " << learned.pages();
      }
    }
  }
}

// Rows are kept without the zeros at their end; who reads one has not to mind.
TEST(Possible, GivesRowsWithTheZerosAtTheirEnd) {
  RowFamily family{"short", [](std::span<const double>) { return Counts{}; }, false};
  family.item_fault = [](std::span<const double> row, double pages) {
    EXPECT_GE(row.size(), 4U);
    return count_fault(row[0], row[1], pages);
  };
  QueryDelta sums;
  sums.rounds = 1;
  sums.items = {{"a", {to_fixed(1)}}, {"b", {}}};
  EXPECT_EQ(fault_of(sums, family), "");
}

}  // namespace
}  // namespace dcmrank::service
